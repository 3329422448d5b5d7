"""Tests of the verdicts on checksum files."""

import pytest
from hypothesis import given, strategies as st

from tests.verification.releases.artifacts.checksum_cases import CASES, DIGEST, MANIFEST, VALID, ZIP, change_digest
from verification.outcomes import Outcome
from verification.releases.artifacts import checksums
from verification.releases.artifacts.remarks import get_outcome


@pytest.mark.parametrize("name", CASES)
def test_checksums_have_their_remarks_and_terraforms_error(name):
    document, message, expected = CASES[name]
    terraform_verdict = checksums.compare_with_registry(document, ZIP, DIGEST)
    if terraform_verdict.accepts:
        terraform_verdict = checksums.predict_terraform_parsing(document)
    if message is not None:
        assert (terraform_verdict.accepts, terraform_verdict.message) == (not message, message)
    remarks = checksums.list_remarks(document, (ZIP, MANIFEST))
    assert {remark.key for remark in remarks} == expected
    assert all(remark.text.endswith(".") for remark in remarks)


def test_there_are_at_least_40_lists_of_checksums():
    assert len(CASES) >= 40


def test_checksums_that_terraform_refuses_fail():
    for name, (document, message, _) in CASES.items():
        if message != "":
            assert (name, get_outcome(checksums.list_remarks(document, (ZIP, MANIFEST)))) == (name, Outcome.FAIL)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (VALID, DIGEST),
        (VALID.upper().replace(ZIP.upper().encode(), ZIP.encode()), DIGEST),
        (change_digest(lambda a: a[:63]), ""),
        (b"", ""),
    ],
)
def test_digest_of_an_archive_is_found_in_the_list(document, expected):
    assert checksums.find_digest(document, ZIP) == expected


@given(st.binary(max_size=400))
def test_random_bytes_fail(document):
    checksums.compare_with_registry(document, ZIP, DIGEST)
    checksums.predict_terraform_parsing(document)
    assert get_outcome(checksums.list_remarks(document, (ZIP,))) == Outcome.FAIL
