"""Memory: the strategy pool in one SQLite file, with its log, its versions and its search."""

from journeyman.memory.history import Blame, Diff, Removed, Used, Written
from journeyman.memory.log import Change
from journeyman.memory.pool import StrategyPool
from journeyman.memory.purge import Purged
from journeyman.memory.view import View

__all__ = [
    "Blame",
    "Change",
    "Diff",
    "Purged",
    "Removed",
    "StrategyPool",
    "Used",
    "View",
    "Written",
]
