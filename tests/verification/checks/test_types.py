"""Tests of outcomes, evidence, and the registration of checks."""

import pytest

from verification.checks.types import register_check
from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], Outcome.NOT_RUN),
        (["pass", "pass"], Outcome.PASS),
        (["pass", "warn"], Outcome.WARN),
        (["warn", "not_run", "pass"], Outcome.NOT_RUN),
        (["not_run", "error"], Outcome.ERROR),
        (["error", "fail", "pass"], Outcome.FAIL),
        (["pass", "stale"], Outcome.STALE),
        (["pass", "waived"], Outcome.WAIVED),
    ],
)
def test_worst_outcome_is_returned(outcomes, expected):
    assert get_worst_outcome(outcomes) == expected


def test_check_with_a_duplicate_or_unknown_key_is_refused():
    def run(_subject, _sources):
        return Result(Outcome.PASS, "Fine.")

    with pytest.raises(ValueError, match=r"repository\.public"):
        register_check("repository.public")(run)
    with pytest.raises(ValueError, match=r"doesn't describe the check no\.check"):
        register_check("no.check")(run)


def test_evidence_is_converted_to_a_dictionary():
    assert Evidence("Tag", "v1").as_dict() == {"label": "Tag", "value": "v1", "url": ""}


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://acme.example/a", "https://acme.example/a"),
        ("http://127.0.0.1/a", "http://127.0.0.1/a"),
        ("javascript:alert(1)", ""),
        ("git@github.com:acme/rocket", ""),
    ],
)
def test_only_a_web_address_becomes_a_link(url, link):
    assert Evidence("Tag", "v1", url).as_dict()["url"] == link
