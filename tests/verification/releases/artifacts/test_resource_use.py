"""Tests of the memory, files, and threads that hostile archives, checksums, and signatures use."""

import base64

from tests.verification.hostile_inputs.resource_use import measure_cost
from tests.verification.releases.artifacts import checksum_cases, signature_cases
from tests.verification.releases.artifacts.archive_cases import HOSTILE, VALID
from verification.releases.artifacts.signatures import SignatureClass

MAX_MEGABYTES = {"archives": 4, "sums": 64, "signatures": 96}  # peak above that of a valid input


def verify_within_limits(kind, valid, jobs):
    """Assert that the jobs stay within the limits, and return the verdict on each."""
    cost = measure_cost(kind, valid, jobs)
    print(f"{kind}: {len(jobs)} jobs, {cost.megabytes:.1f} MiB, the slowest {cost.slowest:.2f} s")
    assert (cost.files, cost.threads) == (0, 0)
    assert cost.megabytes < MAX_MEGABYTES[kind]
    assert set(cost.names) == set(jobs)
    return cost.names


def encode(data):
    return base64.b64encode(data).decode()


def test_hostile_archives_stay_within_the_limits(tmp_path):
    valid = tmp_path / "valid.zip"
    jobs = {}
    valid.write_bytes(VALID["with text files"][0]())
    for number, (name, (build, _)) in enumerate(HOSTILE.items()):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(build())
        jobs[name] = str(path)
    assert set(verify_within_limits("archives", str(valid), jobs).values()) == {"fail"}


def test_hostile_checksums_stay_within_the_limits():
    lists = {name: case[0] for name, case in checksum_cases.CASES.items()} | checksum_cases.OVERSIZED
    jobs = {name: encode(document) for name, document in lists.items()}
    verdicts = verify_within_limits("sums", encode(checksum_cases.VALID), jobs)
    assert set(verdicts.values()) == {"fail"}


WITH_HEADER = ("length of 4 GiB", "partial lengths")  # beginning with the header of a signature


def test_hostile_signatures_stay_within_the_limits(keyring):
    jobs = {}
    for name, case in signature_cases.CASES.items():
        keys = [keyring.export(key) for key in case.keys]
        jobs[name] = [encode(case.document), encode(case.sign(keyring)), *map(encode, keys)]
    oversized = {
        name: [encode(b"a"), encode(data), encode(keyring.export("good"))]
        for name, data in signature_cases.OVERSIZED.items()
    }
    verdicts = verify_within_limits("signatures", jobs["RSA"], jobs | oversized)
    kinds = {name: case.kind for name, case in signature_cases.CASES.items()}
    assert verdicts == kinds | dict.fromkeys(signature_cases.OVERSIZED, SignatureClass.NO_SIGNATURE) | dict.fromkeys(
        WITH_HEADER, SignatureClass.UNSUPPORTED
    )
