"""What holds for all tests: a mark for the compatibility page tells what its test needs."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped test that is marked as having tried something fails, unless it names its needs."""
    report = yield
    marks = item.iter_markers("compatibility")
    if report.skipped and any("needs" not in mark.kwargs for mark in marks):
        report.outcome = "failed"
        report.longrepr = "skipped, and its mark 'compatibility' names no needs="
    return report
