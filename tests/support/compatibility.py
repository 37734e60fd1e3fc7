"""The page ``docs/compatibility.md``, made from the marks on the tests.

    python -m tests.support.compatibility            # prints it
    python -m tests.support.compatibility --write    # writes it

A test says which feature it tries, with which server or model, and how::

    @pytest.mark.compatibility("tools", "a GGUF file in process", "real llama.cpp, random weights")

and with ``needs="the extra [gguf]"`` what it is skipped without. Sources are read, nothing is run.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compatibility.md"
MARK = "pytest.mark.compatibility"

HEAD = """\
# What was tried with which server and model

Made from the marks on the tests (`python -m tests.support.compatibility --write`); a test compares
this page with them. A row says which feature was tried and how, and names the tests that try it.
What stands under *needs* is not on every machine: without it these tests are skipped.
"""

BY_HAND = """
## By hand, not in the tests

| what | how |
|---|---|
| llama.cpp's own server, whole loop | Qwen2.5-Coder-1.5B-Instruct (Q4_K_M), \
`benchmarks/llama_cpp_server.py`: 10 replies in their schemas, token counts equal the server's |
| a small language model, whole loop | Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) in process, \
see [real-model.md](real-model.md) |

## Never run

- A vision-language model of full size: no Qwen2.5-VL, no InternVL3, no GPT-4o, neither behind a
  server nor in this process. Random weights show that a path holds, and nothing of what is seen.
- vLLM, SGLang, Ollama and OpenAI's own servers: the protocol is tried with a server of our own.
- The real weights of BGE-M3 and of SAM: their paths are tried with substitutes and random weights.
"""


@dataclass(frozen=True, order=True)
class Tried:
    """One mark: ``feature`` with ``subject``, by the test ``name`` in the file ``path``."""

    subject: str
    feature: str
    how: str
    needs: str
    path: str
    name: str


def tried_in(source: str, path: str) -> Iterator[Tried]:
    """The marks in the test file ``source``.

    Raises:
        ValueError: a mark that is not three texts (and ``needs``), or on what pytest does not run.
    """
    tree = ast.parse(source)
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            for decorator in getattr(node, "decorator_list", ()):
                if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == MARK):
                    continue
                where = f"{path}:{decorator.lineno}"
                runs = parent is tree or getattr(parent, "name", "").startswith("Test")
                if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
                    runs = False
                if not runs:
                    raise ValueError(f"{where}: only a test can be marked")
                try:
                    feature, subject, how = map(ast.literal_eval, decorator.args)
                    given = {k.arg: ast.literal_eval(k.value) for k in decorator.keywords}
                except ValueError as error:
                    raise ValueError(f"{where}: three texts are wanted: {error}") from error
                if not given.keys() <= {"needs"}:
                    raise ValueError(f"{where}: only needs can be named")
                yield Tried(subject, feature, how, given.get("needs", ""), path, node.name)


def all_tried() -> list[Tried]:
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return sorted(
        tried
        for file in files
        for tried in tried_in(file.read_text("utf-8"), file.relative_to(ROOT).as_posix())
    )


def page(tried: Sequence[Tried]) -> str:
    """The whole page."""
    parts = [HEAD]
    for subject, of_it in groupby(sorted(tried), lambda one: one.subject):
        parts.append(f"\n## {subject[:1].upper()}{subject[1:]}\n")
        parts.append("| feature | how it was tried | needs | tests |\n|---|---|---|---|")
        for (feature, how, needs), same in groupby(of_it, lambda t: (t.feature, t.how, t.needs)):
            links = ", ".join(f"[{_words(t.name)}](../{t.path})" for t in same)
            parts.append(f"| {feature} | {how} | {needs or '-'} | {links} |")
    return "\n".join(parts) + "\n" + BY_HAND


def _words(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")


if __name__ == "__main__":
    made = page(all_tried())
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(made, "utf-8")
    else:
        print(made, end="")
