"""Randomness comes from names and one seed, the same in every process and on every machine."""

from __future__ import annotations

import subprocess
import sys

from journeyman.core import seeding


def test_digests_are_those_of_every_process() -> None:
    """blake2b of the parts joined by U+001F, eight bytes, big-endian."""
    import hashlib

    expected = int.from_bytes(hashlib.blake2b(b"0\x1ftask_order", digest_size=8).digest(), "big")
    assert seeding.digest(0, "task_order") == expected
    code = "from journeyman.core.seeding import digest; print(digest('a', 1, ('b',)))"
    other = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(other.stdout) == seeding.digest("a", 1, ("b",))


def test_parts_are_kept_apart() -> None:
    assert seeding.digest("ab", "c") != seeding.digest("a", "bc") != seeding.digest("abc")


def test_uniform_numbers_lie_in_the_unit_interval_and_spread() -> None:
    values = [seeding.uniform("x", i) for i in range(2000)]
    assert all(0 <= value < 1 for value in values)
    assert abs(sum(values) / 2000 - 0.5) < 5 * (1 / 12 / 2000) ** 0.5


def test_streams_of_one_seed_are_repeatable_and_independent_of_each_other() -> None:
    first = seeding.stream(3, "task_order").permutation(50).tolist()
    seeding.stream(3, "something else").random(1000)
    assert seeding.stream(3, "task_order").permutation(50).tolist() == first
    assert seeding.stream(4, "task_order").permutation(50).tolist() != first
    assert seeding.stream(3, "task_order", 1).permutation(50).tolist() != first
