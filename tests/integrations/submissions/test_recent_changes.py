"""What changed since a person last looked?"""

from datetime import datetime, timedelta
from typing import Any

from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.selectors.recent_changes import Change, changes_since, last_look
from integrations.submissions.services import creation, findings
from integrations.submissions.services import requirements as answers
from portal.accounts.models import User


def news(integration: Integration, user: User, *, with_notes: bool = True) -> list[Change]:
    look = last_look(integration, user)
    assert look is not None
    return changes_since(integration, look, with_notes=with_notes)


def lines(changes: list[Change]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(change.who, change.what, change.items) for change in changes]


def test_whoever_never_looked_has_no_look(rocket: Integration, rita: User) -> None:
    assert last_look(rocket, rita) is None


def test_nothing_changed_after_a_look(rocket: Integration, rita: User, now: datetime) -> None:
    findings.looked(rocket, by=rita, now=now)
    assert news(rocket, rita) == []


def test_one_event_is_told_with_what_was_written(at: Any, alice: User, rita: User, now: datetime) -> None:
    rocket = at("review")
    findings.looked(rocket, by=rita, now=now)
    findings.say(rocket, "The key has changed.", by=alice, now=now)
    assert lines(news(rocket, rita)) == [("Alice Archer", "wrote to the program", ("The key has changed.",))]


def test_events_of_one_kind_stand_in_one_line_newest_line_first(
    at: Any, alice: User, bob: User, rita: User, now: datetime
) -> None:
    rocket = at("review")
    first, second = rocket.edition.requirements()[:2]
    found = [findings.raise_finding(rocket, r.id, f"Change {r.id}.", by=rita, now=now) for r in (first, second)]
    findings.looked(rocket, by=rita, now=now)
    findings.fix_finding(found[0], "Done.", by=alice, now=now + timedelta(minutes=1))
    findings.say(rocket, "Hello.", by=bob, now=now + timedelta(minutes=2))
    findings.fix_finding(found[1], "Done too.", by=alice, now=now + timedelta(minutes=3))
    assert lines(news(rocket, rita)) == [
        ("Alice Archer", "answered 2 findings", ("Finding 1: Done.", "Finding 2: Done too.")),
        ("Bob Baker", "wrote to the program", ("Hello.",)),
    ]


def test_changed_facts_are_told_with_old_and_new(rocket: Integration, alice: User, rita: User, now: datetime) -> None:
    findings.looked(rocket, by=rita, now=now)
    creation.change_facts(rocket, {"homepage": "https://acme.example/new"}, by=alice, now=now)
    assert lines(news(rocket, rita)) == [
        (
            "Alice Archer",
            "changed its description",
            ("homepage: https://acme.example/rocket → https://acme.example/new",),
        )
    ]


def test_a_check_that_turned_is_told_with_both_outcomes(at: Any, rita: User, now: datetime) -> None:
    rocket = at("review", program="terraform-provider")
    checks = [r for r in rocket.edition.requirements() if r.who == "machine"][:2]
    findings.looked(rocket, by=rita, now=now)
    for asked in checks:
        answers.record_checks(
            rocket, asked.id, outcome="fail", summary="It does not fit.", detail=[], retry_at=None, now=now
        )
    assert lines(news(rocket, rita)) == [
        ("The portal", "checked 2 requirements again", tuple(f"{asked.title}: pass → fail" for asked in checks))
    ]


def test_ones_own_doing_and_claims_are_no_news(rocket: Integration, rita: User, rob: User, now: datetime) -> None:
    findings.looked(rocket, by=rita, now=now)
    findings.say(rocket, "Mine.", by=rita, now=now)
    claims.claim(rocket, by=rob, now=now)
    assert news(rocket, rita) == []


def test_notes_are_news_for_the_program_alone(
    rocket: Integration, alice: User, rita: User, rob: User, now: datetime
) -> None:
    findings.looked(rocket, by=rita, now=now)
    findings.say(rocket, "Be careful.", by=rob, now=now, internal=True)
    assert lines(news(rocket, rita)) == [("Rob Roth", "noted", ("Be careful.",))]
    assert news(rocket, rita)[0].internal is True
    assert news(rocket, rita, with_notes=False) == []
