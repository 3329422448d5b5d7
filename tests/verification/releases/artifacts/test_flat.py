"""Tests of memory and time for hostile archives, lists and signatures."""

import base64

from tests.verification.hostile.worker import measure_cost
from tests.verification.releases.artifacts import signed, test_sums
from tests.verification.releases.artifacts.zips import GOOD, HOSTILE
from verification.releases.artifacts.signatures import SignatureClass

FLAT = {"archives": 4, "sums": 64, "signatures": 96}  # peak MiB above a good job


def measure_jobs(kind, good, jobs):
    """Check the cost of the jobs and return the verdict on each."""
    cost = measure_cost(kind, good, jobs)
    print(f"{kind}: {len(jobs)} jobs, {cost.megabytes:.1f} MiB, the slowest {cost.slowest:.2f} s")
    assert (cost.files, cost.threads) == (0, 0)
    assert cost.megabytes < FLAT[kind]
    assert set(cost.names) == set(jobs)
    return cost.names


def text(data):
    return base64.b64encode(data).decode()


def test_archives_leave_nothing_behind(tmp_path):
    good, jobs = tmp_path / "good.zip", {}
    good.write_bytes(GOOD["with texts"][0]())
    for number, (name, (make, _)) in enumerate(HOSTILE.items()):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(make())
        jobs[name] = str(path)
    assert set(measure_jobs("archives", str(good), jobs).values()) == {"fail"}


MANY = {
    "a line without end": b"a" * 1024 * 1024,
    "spaces": b" " * 1024 * 1024,
    "spaces of two bytes": b"\xc2\xa0" * 512 * 1024,
    "line breaks": b"\n" * 1024 * 1024,
    "names of one letter": b"0 a\n" * 250_000,
    "words": b"a " * 512 * 1024,
}


def test_lists_of_checksums_leave_nothing_behind():
    jobs = {name: text(case[0]) for name, case in test_sums.CASES.items()}
    verdicts = measure_jobs("sums", text(test_sums.GOOD), jobs | {name: text(data) for name, data in MANY.items()})
    assert set(verdicts.values()) == {"fail"}


ENDLESS = {
    "64 KiB of zeros": bytes(65536),
    "64 KiB of one byte": b"\xff" * 65536,
    "length of 4 GiB": b"\xc2\xff\xff\xff\xff\xff" + bytes(1000),
    "partial lengths": b"\xc2" + b"\xe1ab" * 20_000,
    "packets in packets": b"\xc8\x05\x00" * 20_000,
    "marker packets": b"\xca\x03PGP" * 13_000,
}


BEGIN_WELL = ("length of 4 GiB", "partial lengths")  # with the header of a signature


def test_signatures_leave_nothing_behind(keyring):
    jobs = {}
    for name, case in signed.CASES.items():
        keys = [keyring.export(key) for key in case.keys]
        jobs[name] = [text(case.document), text(case.make(keyring)), *map(text, keys)]
    endless = {name: [text(b"a"), text(data), text(keyring.export("good"))] for name, data in ENDLESS.items()}
    verdicts = measure_jobs("signatures", jobs["RSA"], jobs | endless)
    kinds = {name: case.kind for name, case in signed.CASES.items()}
    assert verdicts == kinds | dict.fromkeys(ENDLESS, SignatureClass.NO_SIGNATURE) | dict.fromkeys(
        BEGIN_WELL, SignatureClass.UNSUPPORTED
    )
