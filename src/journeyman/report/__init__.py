"""A run for people: the report page and what the terminal shows."""

from journeyman.report.data import EpisodeRecord, Faulted, ReportData, RoleCost, costs_by_role
from journeyman.report.page import render, write_report

__all__ = [
    "EpisodeRecord",
    "Faulted",
    "ReportData",
    "RoleCost",
    "costs_by_role",
    "render",
    "write_report",
]
