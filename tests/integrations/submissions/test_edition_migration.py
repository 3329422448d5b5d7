"""Tests of edition migrations with renamed requirements."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition
from integrations.reviews.services import claims
from integrations.submissions.models import (
    Document,
    Integration,
    IntegrationDraft,
    RequirementFulfillment,
    TestCredential,
)
from integrations.submissions.services import (
    credentials,
    drafts,
    edition_migration,
    findings as reviewing,
    meetings,
    requirements as answers,
    waivers,
)
from integrations.submissions.services.edition_migration import TierChange
from integrations.submissions.services.transitions import perform_transition
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import fulfill_requirements
from tests.replay import replay_fixture

RENAMED_IDS = {"NO-3": "NX-3", "NO-6": "NX-6", "NO-7": "NX-7", "NO-9": "NX-9"}


@pytest.fixture
@replay_fixture
def row(integration_at: Any, rita: Any, now: Any) -> Integration:
    return claims.claim_review(integration_at("review"), actor=rita, now=now)


@pytest.fixture
def renamed_edition(row: Integration, monkeypatch: pytest.MonkeyPatch) -> Edition:
    """A later edition of the Nomad program in which four requirements have other ids."""
    program = PROGRAMS["nomad"]
    old = program.editions[-1]
    steps = tuple(
        replace(step, requirements=tuple(replace(r, id=RENAMED_IDS.get(r.id, r.id)) for r in step.requirements))
        for step in old.steps
    )
    new = replace(old, date="2027-01", steps=steps, renames={old.date: RENAMED_IDS})
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(*program.editions, new)))
    return new


def test_rows_of_a_renamed_requirement_follow_it(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any
) -> None:
    reviewing.raise_finding(row, "NO-3", "Where are the tests?", actor=rita, now=now)
    proposal = meetings.MeetingProposal((now + timedelta(days=2),), "", 45)
    meetings.propose_times(row, "NO-7", proposal, actor=alice, now=now)
    secret = crypto.Secret("user: tester")
    credentials.submit_credential(row, "NO-6", "Tenant", secret, permanent=False, actor=alice, now=now, uuid=uuid4())
    drafts.get_or_create_answer_draft(row, "NO-9", actor=alice, now=now)
    answers.submit_answer(row, "NO-3", {"tests": "make"}, actor=alice, now=now)

    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now)

    row = Integration.objects.get(pk=row.pk)
    assert row.edition_date == renamed_edition.date
    managers = (row.findings, row.meetings, row.credentials, row.drafts)
    assert [rows.get().requirement_id for rows in managers] == ["NX-3", "NX-7", "NX-6", "NX-9"]
    assert row.fulfillments.get(requirement_id="NX-3").data == {"tests": "make"}
    assert (
        credentials.reveal_credential(TestCredential.objects.get(), reason="Test.", actor=rita, now=now).value
        == "user: tester"
    )


def test_newer_of_two_answers_counts_and_the_older_stays_in_the_history(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any
) -> None:
    answers.submit_answer(row, "NO-3", {"tests": "older"}, actor=alice, now=now)
    RequirementFulfillment.objects.create(
        integration=row,
        requirement_id="NX-3",
        status="submitted",
        data={"tests": "newer"},
        submitted_by=rita,
        submitted_at=now + timedelta(hours=1),
        waiver_expires_at=now + timedelta(days=3),
    )
    assert [
        r.id
        for r in edition_migration.plan_migration(
            Integration.objects.get(pk=row.pk), renamed_edition.date, now
        ).duplicates
    ] == ["NX-3"]
    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now + timedelta(hours=2))
    state = row.fulfillments.get(requirement_id="NX-3")
    assert (state.data, state.submitted_by, row.fulfillments.filter(requirement_id="NO-3").count()) == (
        {"tests": "newer"},
        rita,
        0,
    )
    (older,) = row.events.get(event_type="integration.edition_moved").data["replaced"]
    assert (older["requirement"], older["data"], older["submitted_by"]) == ("NX-3", {"tests": "older"}, "Alice Archer")


def test_documents_and_waiver_of_the_older_answer_are_kept(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any
) -> None:
    old = RequirementFulfillment.objects.create(
        integration=row,
        requirement_id="NX-3",
        data={"tests": "stale"},
        submitted_at=now - timedelta(days=9),
        waiver_expires_at=now + timedelta(days=3),
        waiver_reason="Known.",
    )
    document = Document.objects.create(
        partner=row.partner, state=old, name="a.txt", kind="txt", size=1, sha256="0", uploaded_at=now
    )
    answers.submit_answer(row, "NO-3", {"tests": "make"}, actor=alice, now=now)
    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now)
    state = row.fulfillments.get(requirement_id="NX-3")
    assert (state.data, state.waiver_reason) == ({"tests": "make"}, "Known.")
    assert list(state.documents.all()) == [document]


def test_waiver_request_of_the_older_answer_is_kept(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any
) -> None:
    row.fulfillments.filter(requirement_id="NO-3").update(status="open", submitted_at=None)
    waivers.request_waiver(row, "NO-3", reason="In May.", actor=alice, now=now)
    RequirementFulfillment.objects.create(integration=row, requirement_id="NX-3", submitted_at=now)
    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now)
    state = row.fulfillments.get(requirement_id="NX-3")
    assert (state.waiver_requested_at, state.waiver_request_reason) == (now, "In May.")


def test_requirement_ids_can_be_swapped(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = row.edition
    renamed_ids = {"NO-3": "NO-4", "NO-4": "NO-3"}
    program = PROGRAMS["nomad"]
    other = replace(old, date="2028-01", renames={old.date: renamed_ids})
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(*program.editions, other)))
    for each in renamed_ids:
        answers.submit_answer(row, each, {"was": each}, actor=alice, now=now)
        drafts.get_or_create_answer_draft(row, each, actor=alice, now=now)
    edition_migration.migrate_edition(row, "2028-01", actor=rita, now=now)
    assert {each: row.fulfillments.get(requirement_id=each).data["was"] for each in renamed_ids} == renamed_ids
    assert row.events.get(event_type="integration.edition_moved").data["replaced"] == []


def test_newer_of_two_open_drafts_stays_open(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any
) -> None:
    mine = drafts.get_or_create_answer_draft(row, "NO-9", actor=alice, now=now)
    theirs = IntegrationDraft.objects.create(
        partner=row.partner, integration=row, requirement_id="NX-9", program_key="nomad", saved_at=now + timedelta(1)
    )
    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now)
    assert row.drafts.get(requirement_id="NX-9", sent_at=None) == theirs
    assert row.drafts.get(pk=mine.pk).sent_at == now


def test_second_automatic_finding_is_merged_into_the_first(
    row: Integration, renamed_edition: Edition, rita: Any, now: Any
) -> None:
    finding_fields = {"round": 1, "text": "It no longer builds.", "raised_at": now, "due_at": now}
    first = row.findings.create(number=1, requirement_id="NX-3", **finding_fields)
    second = row.findings.create(number=2, requirement_id="NO-3", **finding_fields)
    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state, second.requirement_id) == ("open", "verified", "NX-3")
    assert second.answer == "Merged into finding 1."


@pytest.mark.any_database
def test_waiver_request_and_finding_end_with_their_requirement(
    row: Integration, alice: Any, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = PROGRAMS["nomad"]
    old = program.editions[-1]
    steps = tuple(
        replace(step, requirements=tuple(r for r in step.requirements if r.id != "NO-3")) for step in old.steps
    )
    new = replace(old, date="2027-01", steps=steps)
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(*program.editions, new)))
    row.fulfillments.filter(requirement_id__in=["NO-3", "NO-6"]).update(status="open")
    for requirement_id in ("NO-3", "NO-6"):
        waivers.request_waiver(row, requirement_id, reason="In May.", actor=alice, now=now)
        reviewing.open_automatic_finding(row, requirement_id, "It no longer builds.", now=now)
    edition_migration.migrate_edition(row, new.date, actor=rita, now=now)
    requests = row.fulfillments.filter(waiver_requested_at__isnull=False)
    assert [state.requirement_id for state in requests] == ["NO-6"]
    findings = row.findings.order_by("number").values_list("requirement_id", "state", "resolved_at")
    assert list(findings) == [("NO-3", "verified", None), ("NO-6", "open", None)]


def test_migration_is_refused_while_a_decision_can_be_undone(
    row: Integration, renamed_edition: Edition, alice: Any, rita: Any, now: Any
) -> None:
    fulfill_requirements(row, alice, now)
    perform_transition(row, "approve", actor=rita, now=now)
    with pytest.raises(ActionRefused, match="can be undone until 9:10 AM UTC"):
        edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now + timedelta(minutes=9))
    edition_migration.migrate_edition(row, renamed_edition.date, actor=rita, now=now + timedelta(minutes=10))
    assert Integration.objects.get(pk=row.pk).edition_date == renamed_edition.date


@pytest.fixture
@replay_fixture
def premier_provider(edition_2026: None, integration_at: Any) -> Integration:
    """A listed provider that was granted the higher tier."""
    row = integration_at("support", program="terraform-provider")
    Integration.objects.filter(pk=row.pk).update(tier="partner-premier", tier_request="partner-premier")
    return Integration.objects.get(pk=row.pk)


@pytest.mark.any_database
def test_plan_describes_the_changes_of_the_tier(premier_provider: Integration, rita: Any, now: Any) -> None:
    migration = edition_migration.plan_migration(premier_provider, "2021-10", now)
    below = migration.comparison.new.release_tier
    assert migration.tier_changes == (
        TierChange("replaced", "Partner Premier", below.name),
        TierChange("request_ended", "Partner Premier"),
    )
    edition_migration.migrate_edition(premier_provider, "2021-10", actor=rita, now=now + timedelta(hours=1))
    integration = Integration.objects.get(pk=premier_provider.pk)
    assert (integration.tier, integration.tier_request, integration.responsible_party) == (below.key, "", "portal")
    text = " ".join(EmailMessage.objects.get(event__event_type="integration.edition_moved").text.split())
    assert f"The tier Partner Premier doesn't exist in this edition. The tier becomes {below.name}." in text
    assert "The request for the tier Partner Premier ends because this edition doesn't have the tier." in text


def test_tier_that_both_editions_have_is_kept(
    premier_provider: Integration, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = PROGRAMS["terraform-provider"]
    later = replace(program.editions[-1], date="2028-01", renames={})
    monkeypatch.setitem(PROGRAMS, program.key, replace(program, editions=(*program.editions, later)))
    assert edition_migration.plan_migration(premier_provider, "2028-01", now).tier_changes == ()
    edition_migration.migrate_edition(premier_provider, "2028-01", actor=rita, now=now + timedelta(hours=1))
    integration = Integration.objects.get(pk=premier_provider.pk)
    assert (integration.tier, integration.tier_request) == ("partner-premier", "partner-premier")


@pytest.mark.any_database
def test_tier_of_an_integration_that_left_the_program_is_kept(
    edition_2026: None, integration_at: Any, alice: Any, rita: Any, now: Any
) -> None:
    row = integration_at("support", program="terraform-provider")
    perform_transition(row, "downgrade_to_community", actor=alice, now=now)
    edition_migration.migrate_edition(row, "2021-10", actor=rita, now=now + timedelta(hours=1))
    integration = Integration.objects.get(pk=row.pk)
    assert (integration.edition_date, integration.listing_status, integration.tier) == (
        "2021-10",
        "unlisted",
        "community",
    )
