"""Twenty kills at random moments: is the resumed run the uninterrupted one?

    python benchmarks/kill_and_resume.py

For one seed after another: ``journeyman learn`` (ELITE, household/base-v0, the stand-in) once
without a disturbance and once in a folder whose process gets SIGKILL after a random time and is
started again by the same command, until it is done. Then summaries, whole episodes with every
prompt and reply, and the memory's export of both folders are compared, times aside.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from journeyman import api
from journeyman.core import seeding
from journeyman.core.errors import RunError
from journeyman.runs import canonical_episodes


def command(out: Path, seed: int) -> list[str]:
    return [sys.executable, "-m", "journeyman", "learn", "--seed", str(seed), "--out", str(out)]


def quietly(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def to_the_end(out: Path, seed: int) -> float:
    """Run undisturbed; the seconds that it took."""
    began = time.monotonic()
    process = quietly(command(out, seed))
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(errors.decode())
    return time.monotonic() - began


def killed(out: Path, seed: int, after_s: float) -> bool:
    """Run and kill after so many seconds; False where it was done before."""
    process = quietly(command(out, seed))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    moments = seeding.stream(options.seed, "kill_and_resume")
    kills, seed, unequal = 0, options.seed, 0
    with tempfile.TemporaryDirectory() as folder:
        while kills < options.kills:
            whole, cut = Path(folder, f"whole-{seed}"), Path(folder, f"cut-{seed}")
            seconds = to_the_end(whole, seed)
            at: list[int] = []
            while kills < options.kills and killed(cut, seed, moments.uniform(0.2, seconds)):
                kills += 1
                at.append(finished(cut))
            to_the_end(cut, seed)
            equal = contents(whole) == contents(cut)
            unequal += not equal
            print(
                f"seed {seed}: {finished(cut)} episodes in {seconds:.1f} s; killed {len(at)} times,"
                f" with {', '.join(map(str, at)) or 'none'} finished; "
                f"{'equal' if equal else 'NOT EQUAL'}",
                flush=True,
            )
            seed += 1
    print(f"{kills} kills, {unequal} of {seed - options.seed} runs not equal to undisturbed ones")
    sys.exit(1 if unequal else 0)


if __name__ == "__main__":
    main()
