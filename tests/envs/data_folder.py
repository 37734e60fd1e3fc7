"""Where the benchmark's data are, for tests that read them."""

import os
from pathlib import Path

import pytest


def data_folder() -> Path:
    folder = os.environ.get("JOURNEYMAN_DATA")
    if not folder:
        pytest.skip("JOURNEYMAN_DATA does not name the folder that holds embodiedbench/")
    return Path(folder)
