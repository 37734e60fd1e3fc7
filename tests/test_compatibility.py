"""The compatibility page is what the marks on the tests say."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.support.compatibility import BY_HAND, HEAD, PAGE, Tried, all_tried, page, tried_in

MARKED = """
    import pytest

    @pytest.mark.compatibility("tools", "a server", "a script", needs="the extra [x]")
    @pytest.mark.compatibility("usage", "a server", "a script")
    def test_one(): ...

    class TestMore:
        @pytest.mark.parametrize("x", [1])
        @pytest.mark.compatibility("usage", "a server", "a script")
        def test_two_of_it(self, x): ...

    def test_without(): ...
"""


def test_the_page_is_the_one_that_the_marks_make() -> None:
    made = page(all_tried())
    assert PAGE.read_text("utf-8") == made, (
        "make it anew: python -m tests.support.compatibility --write"
    )


def test_every_feature_of_a_subject_has_a_test_that_is_there() -> None:
    tried = all_tried()
    assert {"any model", "a GGUF file in this process"} < {one.subject for one in tried}
    for one in tried:
        assert f"def {one.name}(" in (PAGE.parents[1] / one.path).read_text("utf-8")


def test_marks_are_grouped_by_subject_and_tests_of_one_feature_joined() -> None:
    made = page(list(tried_in(dedent(MARKED), "tests/test_x.py")))
    table = made.removeprefix(HEAD).removesuffix(BY_HAND).strip().splitlines()
    assert table == [
        "## A server",
        "",
        "| feature | how it was tried | needs | tests |",
        "|---|---|---|---|",
        "| tools | a script | the extra [x] | [one](../tests/test_x.py) |",
        "| usage | a script | - | [one](../tests/test_x.py), [two of it](../tests/test_x.py) |",
    ]


def test_a_mark_is_a_value() -> None:
    [only] = tried_in(
        '@pytest.mark.compatibility("a", "b", "c")\ndef test_it(): ...', "tests/test_x.py"
    )
    assert only == Tried("b", "a", "c", "", "tests/test_x.py", "test_it")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('@pytest.mark.compatibility("a", "b")\ndef test_x(): ...', "three texts"),
        ('@pytest.mark.compatibility("a", "b", HOW)\ndef test_x(): ...', "three texts"),
        ('@pytest.mark.compatibility("a", "b", "c", d="e")\ndef test_x(): ...', "only needs"),
        ('@pytest.mark.compatibility("a", "b", "c")\ndef helper(): ...', "only a test"),
        ('@pytest.mark.compatibility("a", "b", "c")\nclass TestX: ...', "only a test"),
        (
            'class Helper:\n    @pytest.mark.compatibility("a", "b", "c")\n'
            "    def test_x(self): ...",
            "only a test",
        ),
    ],
)
def test_a_mark_that_the_page_cannot_show_is_refused_with_its_line(source: str, said: str) -> None:
    with pytest.raises(ValueError, match=rf"tests/test_x.py:\d: {said}"):
        list(tried_in(source, "tests/test_x.py"))
