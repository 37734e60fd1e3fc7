"""A run for people: the report page and what the terminal shows."""

from journeyman.report.data import EpisodeRecord, Faulted, ReportData
from journeyman.report.page import render, write_report

__all__ = [
    "EpisodeRecord",
    "Faulted",
    "ReportData",
    "render",
    "write_report",
]
