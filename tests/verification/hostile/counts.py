"""Prints the number of hostile inputs: `python -m tests.verification.hostile.counts`."""

from tests.verification.releases import faults
from tests.verification.releases.artifacts import signed, test_sums, zips
from tests.verification.releases.artifacts.test_flat import ENDLESS, MANY
from tests.verification.sources.http import table
from tests.verification.sources.http.test_addresses import REBINDING
from tests.verification.sources.http.test_http import MISBEHAVIORS

SPELLING_COUNT = len(table.v4()) * len(table.SPELLINGS_V4) + len(table.v6()) * len(table.SPELLINGS_V6)
# name: the count and its minimum
COUNTS = {
    "archives": (len(zips.HOSTILE), 60),
    "signatures and lists of checksums": (len(signed.CASES) + len(test_sums.CASES) + len(ENDLESS) + len(MANY), 40),
    "signatures alone": (len(signed.CASES), 40),
    "addresses": (len(table.v4()) + len(table.v6()), 150),
    "spellings of each, at least": (min(len(table.SPELLINGS_V4), len(table.SPELLINGS_V6)), 8),
    "spelled addresses": (SPELLING_COUNT, 150 * 8),
    "rebinding tries": (REBINDING, 1000),
    "servers that stall, lie or stream": (len(MISBEHAVIORS), 20),
    "faults of releases, judged by Terraform": (len(faults.INSTALL), 60),
}


def format_counts() -> str:
    return "\n".join(f"{there:6} of {minimum:5}  {name}" for name, (there, minimum) in COUNTS.items())


if __name__ == "__main__":
    print(format_counts())
