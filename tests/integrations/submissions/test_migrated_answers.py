"""Tests of what follows from an edition migration: shared answers, and the email about it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import AnswerScope, Question
from integrations.submissions.models import Integration
from integrations.submissions.services import edition_migration
from integrations.submissions.services.requirements import submit_answer
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.services.waivers import waive_requirement
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.integrations.submissions.signatures import ALICE, RITA, sign

pytestmark = pytest.mark.any_database


def test_agreement_that_the_partner_signed_counts_in_the_new_edition(
    acme: Any, alice: Any, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = create_integration(acme, alice, "vault", name="Other")
    agreement_id = next(r.id for r in other.edition.list_requirements() if r.agreement == "mnda")
    for by, signature in ((alice, ALICE), (rita, RITA)):
        sign(other, by, now, signature, agreement_id)
    row = create_integration(acme, alice, "terraform-provider")
    ended = create_integration(acme, alice, "terraform-provider", name="Ended")
    perform_transition(ended, "withdraw", actor=alice, note="Later.", now=now)
    program = PROGRAMS["terraform-provider"]
    old = row.edition
    mnda = other.edition.get_requirement(agreement_id)
    steps = (replace(old.steps[0], requirements=(*old.steps[0].requirements, mnda)), *old.steps[1:])
    new = replace(old, date="2027-01", steps=steps)
    monkeypatch.setitem(PROGRAMS, program.key, replace(program, editions=(*program.editions, new)))
    later = now + timedelta(minutes=11)
    for each in (row, ended):
        edition_migration.migrate_edition(each, new.date, actor=rita, now=later)
    assert row.fulfillments.get(requirement_id=agreement_id).status == "submitted"
    assert not ended.fulfillments.filter(requirement_id=agreement_id).exists()
    perform_transition(ended, "reopen", actor=alice, now=later)
    assert ended.fulfillments.get(requirement_id=agreement_id).status == "submitted"


def test_answer_of_one_integration_does_not_replace_that_of_another_when_the_requirement_becomes_shared(
    acme: Any, alice: Any, rita: Any, rocket: Integration, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lander = create_integration(acme, alice, rocket.program_key, name="Lander")
    for row, moment in ((rocket, now), (lander, now + timedelta(minutes=1))):
        submit_answer(row, "NO-3", {"tests": row.name}, actor=alice, now=moment)
    program = PROGRAMS[rocket.program_key]
    old = program.editions[-1]
    steps = tuple(
        replace(
            step,
            requirements=tuple(
                replace(r, scope=AnswerScope.PARTNER) if r.id == "NO-3" else r for r in step.requirements
            ),
        )
        for step in old.steps
    )
    new = replace(old, date="2027-01", steps=steps)
    monkeypatch.setitem(PROGRAMS, program.key, replace(program, editions=(*program.editions, new)))
    edition_migration.migrate_edition(rocket, new.date, actor=rita, now=now + timedelta(minutes=2))
    assert rocket.fulfillments.get(requirement_id="NO-3").data == {"tests": "Rocket"}


def test_email_states_the_next_action_in_the_new_edition(
    rocket: Integration, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = PROGRAMS["nomad"]
    old = program.editions[-1]
    steps = tuple(
        replace(
            step,
            requirements=tuple(replace(r, title="Updated tests") if r.id == "NO-1" else r for r in step.requirements),
        )
        for step in old.steps
    )
    new = replace(old, date="2027-01", steps=steps)
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(*program.editions, new)))
    edition_migration.migrate_edition(rocket, new.date, actor=rita, now=now)
    row = Integration.objects.get(pk=rocket.pk)
    assert row.next_action_label == "Complete the form “Updated tests”"
    email = EmailMessage.objects.get(event__event_type="integration.edition_moved")
    assert email.text.startswith(f"Action required: {row.next_action_label}.\n")


STATEMENTS = (
    "- Built on the Plugin Framework\n- Acceptance tests\n- Commitment to updates and fixes\n"
    "- Joint customer escalations\n- Nightly tests\n"
)
CHECK = "- Partner tag checks: optional\n"


def migrate_provider(integration: Integration, rita: Any, now: Any) -> str:
    """Migrate a provider to the upcoming edition, and return the text of the email."""
    edition_migration.migrate_edition(integration, "2026-06", actor=rita, now=now + timedelta(hours=1))
    return EmailMessage.objects.get(event__event_type="integration.edition_moved").text


def test_email_asks_for_new_requirements_while_the_program_is_responsible(
    integration_at: Any, rita: Any, now: Any
) -> None:
    text = migrate_provider(integration_at("review", "terraform-provider"), rita, now)
    assert text.startswith("Action required: Complete the new requirements before Verify (Release).\n")
    assert "No action needed" not in text
    assert f"New requirements to complete now\n\n{STATEMENTS}" in text
    others = f"- Technology Partner Program membership: completed by the program\n{CHECK}"
    assert f"Other new requirements\n\n{others}" in text


def test_email_says_that_new_requirements_apply_later(acme: Any, alice: Any, rita: Any, now: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider")
    perform_transition(row, "put_on_hold", actor=rita, note="Vacation.", waits_for="program", now=now)
    text = migrate_provider(row, rita, now)
    assert text.startswith("Waiting for the program: ")
    assert "No action needed.\n\nThe new requirements apply later.\n" in text
    statements = STATEMENTS.replace("\n", ": Verify (Review)\n")
    assert f"New requirements of later steps\n\n{statements}" in text


def test_email_about_a_listed_integration_asks_for_new_requirements(integration_at: Any, rita: Any, now: Any) -> None:
    row = integration_at("support", "terraform-provider")
    later = now + timedelta(minutes=30)
    perform_transition(row, "put_on_hold", actor=rita, note="Vacation.", waits_for="program", now=later)
    text = migrate_provider(row, rita, now)
    assert text.startswith("Action required: Complete the new requirements, so that Rocket stays listed.\n")
    assert STATEMENTS in text


def test_email_names_a_waiver_of_a_requirement_with_new_questions(
    rocket: Integration, alice: Any, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waive_requirement(rocket, "NO-1", reason="Later.", expires_at=now + timedelta(days=60), actor=rita, now=now)
    program = PROGRAMS["nomad"]
    old = program.editions[-1]
    question = Question("new", "New question")
    steps = tuple(
        replace(
            step,
            requirements=tuple(
                replace(r, fields=(*r.fields, question)) if r.id == "NO-1" else r for r in step.requirements
            ),
        )
        for step in old.steps
    )
    new = replace(old, date="2027-01", steps=steps)
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(*program.editions, new)))
    edition_migration.migrate_edition(rocket, new.date, actor=rita, now=now)
    email = EmailMessage.objects.get(event__event_type="integration.edition_moved")
    assert f"Other new requirements\n\n- {old.get_requirement('NO-1').title}: waived\n" in email.text
