"""Compares the clock with the oracle on 100,000 cases and all cores. Run by bin/soak."""

import multiprocessing
import sys
import time
from argparse import ArgumentParser
from itertools import islice

from tests.clock_oracle.cases import ZONES, describe_difference, draw_cases

CHUNK = 1000
CALENDARS = 10  # a zone
MAX_SHOWN_CASES = 3


def compare_chunk(job: tuple[int, int]) -> tuple[int, list[str]]:
    """Return the number of compared cases of a seed, and the first differences."""
    seed, count = job
    differences_found = filter(None, (describe_difference(case) for case in draw_cases(count, seed, CALENDARS)))
    return count, list(islice(differences_found, MAX_SHOWN_CASES))


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    starts = range(0, args.cases, CHUNK)
    jobs = [(args.seed * 1_000_000 + at, min(CHUNK, args.cases - at)) for at in starts]
    begin = time.monotonic()
    done_count = 0
    differences = 0
    with multiprocessing.Pool() as pool:
        for count, differences_found in pool.imap_unordered(compare_chunk, jobs):
            done_count += count
            differences += len(differences_found)
            print("\n".join(differences_found), end="\n" if differences_found else "")
            if sys.stdout.isatty():
                print(f"{done_count:,} of {args.cases:,}", end="\r", flush=True)
    took = time.monotonic() - begin
    print(f"clock: {done_count:,} cases in {len(ZONES)} zones, 2020 to 2035: {differences} differences, {took:.0f} s")
    return 1 if differences or not done_count else 0


if __name__ == "__main__":
    sys.exit(main())
