import pytest

from verification.checks.types import CHECKS, register_check
from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome


@pytest.mark.parametrize(
    ("outcomes", "decides"),
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
def test_worst_decides(outcomes, decides):
    assert get_worst_outcome(outcomes) == decides


def test_check_with_a_taken_or_unknown_key_is_refused():
    def other(_subject, _sources):
        return Result(Outcome.PASS, "Fine.")

    with pytest.raises(ValueError, match=r"repository\.public"):
        register_check("repository.public")(other)
    with pytest.raises(ValueError, match=r"doesn't describe the check no\.check"):
        register_check("no.check")(other)


def test_evidence_becomes_json():
    assert Evidence("Tag", "v1").as_dict() == {"label": "Tag", "value": "v1", "url": ""}


def test_every_check_names_itself():
    import verification.checks.rules  # noqa: F401

    assert {key: (bool(c.title), bool(c.advice), c.version > 0) for key, c in CHECKS.items()} == {
        key: (True, True, True) for key in CHECKS
    }
