"""Does the clock agree with the oracle a hundred thousand times? Run by bin/soak, on all cores."""

import multiprocessing
import sys
import time
from argparse import ArgumentParser
from itertools import islice

from tests.oracle.cases import ZONES, cases, difference

CHUNK = 1000
CALENDARS = 10  # a zone
SHOWN = 3


def chunk(job: tuple[int, int]) -> tuple[int, list[str]]:
    """How many cases of a seed were asked, and the first differences."""
    seed, count = job
    found = filter(None, (difference(case) for case in cases(count, seed, CALENDARS)))
    return count, list(islice(found, SHOWN))


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    starts = range(0, asked.cases, CHUNK)
    jobs = [(asked.seed * 1_000_000 + at, min(CHUNK, asked.cases - at)) for at in starts]
    begin, done, differences = time.monotonic(), 0, 0
    with multiprocessing.Pool() as pool:
        for count, found in pool.imap_unordered(chunk, jobs):
            done, differences = done + count, differences + len(found)
            print("\n".join(found), end="\n" if found else "")
            if sys.stdout.isatty():
                print(f"{done:,} of {asked.cases:,}", end="\r", flush=True)
    took = time.monotonic() - begin
    print(f"clock: {done:,} cases in {len(ZONES)} zones, 2020 to 2035: {differences} differences, {took:.0f} s")
    return 1 if differences or not done else 0


if __name__ == "__main__":
    sys.exit(main())
