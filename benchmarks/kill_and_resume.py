"""Twenty kills at random moments: is the resumed run the uninterrupted one?

    python benchmarks/kill_and_resume.py
    python benchmarks/kill_and_resume.py --env tabletop/pick_in_order_then_restore-v0 \
        --method eeagent --tasks 20

For one seed after another: ``journeyman learn`` (ELITE, household/base-v0 and the stand-in where
nothing is said) once without a disturbance and once in a folder whose process gets SIGKILL after a
random time and is started again by the same command, until it is done. Then summaries, whole
episodes with every prompt and reply, and the memory's export of both folders are compared, times
aside. Where each kill fell is known from a word that the process writes at every event of the run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from journeyman import api
from journeyman.api import running
from journeyman.cli import main as journeyman
from journeyman.core import seeding
from journeyman.core.errors import RunError
from journeyman.core.events import Event, Events, ModelCalled
from journeyman.runs import canonical_episodes

BEFORE, ACTING, REFLECTING, SAVING, BETWEEN, AFTER = (
    "before its first episode",
    "acting",
    "reflecting",
    "saving an episode",
    "between episodes",
    "after the last episode",
)
"""What a process may be doing when it is killed."""


def command(out: Path, seed: int, options: argparse.Namespace) -> list[str]:
    given = [] if options.env is None else [options.env]
    given += [] if options.method is None else ["--method", options.method]
    given += ["--tasks", str(options.tasks), "--seed", str(seed), "--out", str(out)]
    return [sys.executable, __file__, "--words", str(words(out)), "learn", *given]


def words(out: Path) -> Path:
    return out.with_suffix(".words")


def talking(file: Path, arguments: list[str]) -> None:
    """``journeyman ARGUMENTS``, with a word in ``file`` before and after every event of the run."""

    class Talking(Events):
        def emit(self, event: Event) -> None:
            said = type(event).__name__
            if isinstance(event, ModelCalled):
                said += f" {event.call.role}"
            write(said)
            super().emit(event)
            write(f"{said} heard")

    def write(word: str) -> None:
        with file.open("a") as stream:
            stream.write(f"{word}\n")

    setattr(running, "Events", Talking)  # noqa: B010
    journeyman(arguments)


def doing(file: Path) -> str:
    """What the process that wrote ``file`` did last."""
    found, acted = BEFORE, False
    for word in file.read_text().splitlines() if file.exists() else ():
        match word.removesuffix(" heard").split():
            case ["EpisodeStarted" | "Recalled" | "Planned" | "Stepped"]:
                found, acted = ACTING, word.startswith("Stepped")
            case ["ModelCalled", "distil" | "consolidate" | "judge"]:
                found = REFLECTING
            case ["ModelCalled", "interpret"] if acted:  # EEAgent looks again once it has acted
                found = REFLECTING
            case ["ModelCalled", "coarse_plan" | "plan"]:
                found = ACTING
            case ["Reflected" | "EpisodeEnded"]:
                found = BETWEEN if word == "EpisodeEnded heard" else SAVING
    return found


def quietly(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def to_the_end(arguments: list[str]) -> float:
    """Run undisturbed; the seconds that it took."""
    began = time.monotonic()
    process = quietly(arguments)
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(errors.decode())
    return time.monotonic() - began


def killed(arguments: list[str], after_s: float) -> bool:
    """Run and kill after so many seconds; False where it was done before."""
    process = quietly(arguments)
    try:
        _, errors = process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    if process.returncode:
        raise SystemExit(errors.decode())
    return False


def finished(out: Path) -> int:
    """Episodes with a summary line; 0 before there is a run."""
    try:
        return len(api.open_run(out).summaries)
    except RunError:
        return 0


def contents(out: Path) -> dict[str, Any]:
    run = api.open_run(out)
    try:
        return {**canonical_episodes(out), "memory": run.memory.export()}
    finally:
        run.close()


def unlike(whole: dict[str, Any], cut: dict[str, Any]) -> str:
    """Where two runs differ, in short; empty where they are equal."""
    found = [] if whole["memory"] == cut["memory"] else ["memory"]
    for part in ("summaries", "episodes"):
        pairs = enumerate(zip(whole[part], cut[part], strict=False))
        found += [f"{part}[{number}]" for number, (one, other) in pairs if one != other]
        if len(whole[part]) != len(cut[part]):
            found.append(f"{len(whole[part])} and {len(cut[part])} {part}")
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--env", help="household/base-v0 where none is given")
    parser.add_argument("--method", help="elite where none is given")
    parser.add_argument("--tasks", type=int, default=50, help="of a run")
    options = parser.parse_args()
    moments = seeding.stream(options.seed, "kill_and_resume")
    seed, unequal = options.seed, 0
    fell: Counter[str] = Counter()
    retried = 0
    with tempfile.TemporaryDirectory() as folder:
        while fell.total() < options.kills:
            whole, cut = Path(folder, f"whole-{seed}"), Path(folder, f"cut-{seed}")
            seconds = to_the_end(command(whole, seed, options))
            lines = api.open_run(whole).summaries
            at: list[str] = []
            while fell.total() < options.kills:
                words(cut).unlink(missing_ok=True)
                if not killed(command(cut, seed, options), moments.uniform(0.2, seconds)):
                    break
                done, did = finished(cut), doing(words(cut))
                did = AFTER if done == len(lines) and did in (BEFORE, BETWEEN) else did
                again = done < len(lines) and lines[done]["trials"] > 1
                fell[did] += 1
                retried += again
                at.append(f"{did} after {done}" + (" (a task being tried again)" if again else ""))
            to_the_end(command(cut, seed, options))
            differing = unlike(contents(whole), contents(cut))
            unequal += differing != ""
            print(
                f"seed {seed}: {len(lines)} episodes in {seconds:.1f} s; killed {len(at)} times: "
                f"{'; '.join(at) or 'never'}; {'NOT EQUAL in ' * bool(differing)}"
                f"{differing or 'equal'}",
                flush=True,
            )
            seed += 1
    kinds = (ACTING, REFLECTING, SAVING, BETWEEN, BEFORE, AFTER)
    print("Kills: " + ", ".join(f"{fell[kind]} {kind}" for kind in kinds))
    print(f"Of them {retried} while a task had failed trials and was to be tried again")
    runs = seed - options.seed
    print(f"{fell.total()} kills, {unequal} of {runs} runs not equal to undisturbed ones")
    sys.exit(1 if unequal else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--words"]:
        talking(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
