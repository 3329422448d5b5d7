"""Tests of changes since the last visit."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.reviews.services import claims
from integrations.submissions.models import Integration, ReadMarker
from integrations.submissions.selectors.recent_changes import RecentChange, load_review_events
from integrations.submissions.services import creation, findings, requirements as answers
from portal.accounts.models import User

pytestmark = pytest.mark.any_database


def list_changes(integration: Integration, user: User) -> list[RecentChange]:
    marker = ReadMarker.objects.get(integration=integration, user=user)
    return load_review_events(integration, marker)[0]


def summarize(changes: list[RecentChange]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(change.event.actor_name, change.what, change.items) for change in changes]


def test_first_visit_has_no_changes(rocket: Integration, rita: User) -> None:
    assert load_review_events(rocket, None)[0] == []


@pytest.mark.every_database
def test_changes_are_empty_after_a_visit(rocket: Integration, rita: User, now: datetime) -> None:
    findings.update_read_marker(rocket, actor=rita, now=now)
    assert list_changes(rocket, rita) == []


def test_single_event_is_reported_with_its_text(integration_at: Any, alice: User, rita: User, now: datetime) -> None:
    rocket = integration_at("review")
    findings.update_read_marker(rocket, actor=rita, now=now)
    findings.post_message(rocket, "The key has changed.", actor=alice, now=now)
    assert summarize(list_changes(rocket, rita)) == [
        ("Alice Archer", "sent a message to the program", ("The key has changed.",))
    ]


def test_events_of_one_kind_are_grouped_newest_first(
    integration_at: Any, alice: User, bob: User, rita: User, now: datetime
) -> None:
    rocket = integration_at("review")
    first, second = rocket.edition.list_requirements()[:2]
    raised_findings = [
        findings.raise_finding(rocket, r.id, f"Change {r.id}.", actor=rita, now=now) for r in (first, second)
    ]
    findings.update_read_marker(rocket, actor=rita, now=now)
    findings.answer_finding(raised_findings[0], "Done.", actor=alice, now=now + timedelta(minutes=1))
    findings.post_message(rocket, "Hello.", actor=bob, now=now + timedelta(minutes=2))
    findings.answer_finding(raised_findings[1], "Done too.", actor=alice, now=now + timedelta(minutes=3))
    assert summarize(list_changes(rocket, rita)) == [
        ("Alice Archer", "responded to 2 findings", ("Finding 1: Done.", "Finding 2: Done too.")),
        ("Bob Baker", "sent a message to the program", ("Hello.",)),
    ]


@pytest.mark.every_database
def test_changed_facts_are_reported_with_old_and_new(
    rocket: Integration, alice: User, rita: User, now: datetime
) -> None:
    findings.update_read_marker(rocket, actor=rita, now=now)
    values = {
        "category": "ci-cd",
        "homepage": "https://acme.example/new",
        "offerings": ["Enterprise"],
        "repository_owner_id": None,
    }
    creation.change_description(rocket, values, actor=alice, now=now)
    assert summarize(list_changes(rocket, rita)) == [
        (
            "Alice Archer",
            "changed the details",
            (
                "Category: none → CI/CD; Compatible products: Open Source → Enterprise; "
                "Homepage: https://acme.example/rocket → https://acme.example/new",
            ),
        )
    ]


def test_changed_check_is_reported_with_both_outcomes(integration_at: Any, rita: User, now: datetime) -> None:
    rocket = integration_at("review", program="terraform-provider")
    checks = [r for r in rocket.edition.list_requirements() if r.responsible_party == "portal"][:2]
    findings.update_read_marker(rocket, actor=rita, now=now)
    for requirement in checks:
        answers.record_check_outcome(
            rocket, requirement.id, outcome="fail", summary="It does not fit.", detail=[], retry_at=None, now=now
        )
    assert summarize(list_changes(rocket, rita)) == [
        (
            "The portal",
            "rechecked 2 requirements",
            tuple(f"{requirement.title}: Passed → Failed" for requirement in checks),
        )
    ]


def test_own_events_and_claims_are_not_reported(rocket: Integration, rita: User, rob: User, now: datetime) -> None:
    findings.update_read_marker(rocket, actor=rita, now=now)
    findings.post_message(rocket, "Mine.", actor=rita, now=now)
    claims.claim_review(rocket, actor=rob, now=now)
    assert list_changes(rocket, rita) == []


def test_internal_notes_are_reported_only_to_the_program(
    rocket: Integration, alice: User, rita: User, rob: User, now: datetime
) -> None:
    findings.update_read_marker(rocket, actor=rita, now=now)
    findings.post_message(rocket, "Be careful.", actor=rob, now=now, is_internal=True)
    assert summarize(list_changes(rocket, rita)) == [("Rob Roth", "added an internal note", ("Be careful.",))]
    assert list_changes(rocket, rita)[0].event.internal is True
