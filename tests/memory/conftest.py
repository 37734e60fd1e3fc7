import pytest

from journeyman.memory import StrategyPool
from tests.memory.embedder import TableEmbedder


@pytest.fixture
def embedder():
    return TableEmbedder()


@pytest.fixture
def pool(tmp_path, embedder):
    with StrategyPool.open(tmp_path / "pool.db", embedder=embedder) as opened:
        yield opened
