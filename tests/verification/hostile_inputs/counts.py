"""Prints the number of hostile inputs: `python -m tests.verification.hostile_inputs.counts`."""

from tests.verification.releases import faults
from tests.verification.releases.artifacts import archive_cases, checksum_cases, signature_cases
from tests.verification.sources.http.forbidden_addresses import (
    SPELLINGS_V4,
    SPELLINGS_V6,
    list_ipv4_addresses,
    list_ipv6_addresses,
)
from tests.verification.sources.http.test_addresses import REBINDING_ATTEMPTS
from tests.verification.sources.http.test_http import MISBEHAVIORS

IPV4 = list_ipv4_addresses()
IPV6 = list_ipv6_addresses()
SIGNATURES = (*signature_cases.CASES, *signature_cases.OVERSIZED)
CHECKSUMS = (*checksum_cases.CASES, *checksum_cases.OVERSIZED)
# name: the count and its minimum
COUNTS = {
    "archives": (len(archive_cases.HOSTILE), 60),
    "signatures and lists of checksums": (len(SIGNATURES) + len(CHECKSUMS), 40),
    "signatures alone": (len(signature_cases.CASES), 40),
    "addresses": (len(IPV4) + len(IPV6), 150),
    "spellings of each, at least": (min(len(SPELLINGS_V4), len(SPELLINGS_V6)), 8),
    "spelled addresses": (len(IPV4) * len(SPELLINGS_V4) + len(IPV6) * len(SPELLINGS_V6), 150 * 8),
    "rebinding attempts": (REBINDING_ATTEMPTS, 1000),
    "misbehaving servers": (len(MISBEHAVIORS), 20),
    "faults of releases, checked by Terraform": (len(faults.INSTALL), 60),
}


def format_counts() -> str:
    return "\n".join(f"{count:6} of {minimum:5}  {name}" for name, (count, minimum) in COUNTS.items())


if __name__ == "__main__":
    print(format_counts())
