"""How long recall takes: the 4 nearest of 10,000, 100,000 and (with --million) 1,000,000 entries.

    python benchmarks/memory_recall.py [--million]

Through the public API on a real file: ``pool.nearest(query, 4)`` reads the version, scans the
vectors (1024-d, float32) and reads the four entries. Also printed: adding one entry (judged, with
its vector, one durable transaction) with the recall right after it, opening the file, and the
scan alone (one product of matrix and vector), the floor that this machine's memory sets.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from journeyman.core.values import Add, Delta
from journeyman.memory import StrategyPool

BARS_MS = {10_000: 1.0, 100_000: 15.0, 1_000_000: 120.0}
DIM = 1024


class RandomEmbedder:
    """A random vector for each text: recall costs the same whatever the vectors mean."""

    id, dim = "random", DIM

    def __init__(self):
        self.random = np.random.default_rng(0)

    def embed(self, texts):
        return self.random.standard_normal((len(texts), DIM), np.float32)


def fill(pool, size):
    while (have := len(pool.view())) < size:
        numbers = range(have, min(have + 10_000, size))
        operations = [Add(f"lesson {number}", plan=f"plan {number}") for number in numbers]
        pool.apply(Delta(pool.version, operations))


def median_ms(action, times):
    spent = []
    for argument in range(times):
        began = time.perf_counter()
        action(argument)
        spent.append(time.perf_counter() - began)
    return 1000 * statistics.median(spent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--million", action="store_true", help="needs 5 GB of disk and memory")
    sizes = [10_000, 100_000] + ([1_000_000] if parser.parse_args().million else [])
    print(
        f"{'entries':>9} {'recall p50':>11} {'bar':>8} {'scan':>10} {'add+recall':>11} {'open':>9}"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        queries = np.random.default_rng(1).standard_normal((200, DIM), np.float32)
        for size in sizes:
            with StrategyPool.open(path, embedder=RandomEmbedder()) as pool:
                fill(pool, size)
            began = time.perf_counter()
            with StrategyPool.open(path, embedder=RandomEmbedder()) as pool:
                pool.view()
                opened_ms = 1000 * (time.perf_counter() - began)
                pool.nearest(queries[0], 4)
                recall = median_ms(lambda i, p=pool: p.nearest(queries[i], 4), 200)
                keys = pool.vectors
                scan = median_ms(lambda i, keys=keys: keys @ queries[i], 200)

                def add(i, pool=pool, size=size):
                    pool.apply(Delta(pool.version, [Add(f"more {size} {i}", plan=f"{size} {i}")]))
                    pool.nearest(queries[i], 4)

                added = median_ms(add, 20)
            bar = BARS_MS[size]
            print(
                f"{size:>9,} {recall:>8.2f} ms {bar:>5.0f} ms {scan:>7.2f} ms {added:>8.2f} ms"
                f" {opened_ms:>6.0f} ms   {'within the bar' if recall <= bar else 'over the bar'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
