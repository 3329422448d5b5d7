"""Tests that stage durations are stored with the history, and that rebuilding gives the same."""

from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from integrations.submissions.models import Integration
from integrations.submissions.services import findings, requirements as answers
from integrations.submissions.services.responsibility import get_responsibility_stream
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.analytics.models import StageDuration
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from tests.conftest import create_integration

IntegrationAt = Callable[..., Integration]
HOUR = timedelta(hours=1)


def list_segments(row: Integration) -> list[tuple[str, str, bool]]:
    return list(StageDuration.objects.filter(integration=row).values_list("stage", "responsible_party", "ends_stay"))


def run_rebuild(*options: str) -> list[str]:
    out = StringIO()
    call_command("rebuild_stage_durations", *options, stdout=out)
    return out.getvalue().splitlines()


def test_every_change_is_stored_and_the_last_one_is_current(integration_at: IntegrationAt) -> None:
    row = integration_at("support")
    pieces = list(StageDuration.objects.filter(integration=row))
    assert [p.stage for p in pieces if p.ends_stay] == ["engage", "develop", "review", "release"]
    assert (pieces[-1].stage, pieces[-1].responsible_party, pieces[-1].ended_at) == (
        "support",
        row.responsible_party,
        None,
    )
    assert [p.ended_at for p in pieces[:-1]] == [p.started_at for p in pieces[1:]]
    assert run_rebuild("--check") == ["Differences: 0"]


def test_request_for_changes_and_its_undoing_change_the_responsible_party(
    integration_at: IntegrationAt, alice: Any, rita: Any, now: datetime
) -> None:
    row = integration_at("review")
    before = list_segments(row)
    findings.raise_finding(row, row.edition.list_requirements()[0].id, "Explain.", actor=rita, now=now + HOUR)
    perform_transition(row, "request_changes", actor=rita, now=now + HOUR)
    assert list_segments(row) == [*before, ("review", "portal", False)]
    perform_transition(row, "undo_decision", actor=rita, now=now + HOUR + timedelta(minutes=1))
    assert list_segments(row) == before
    assert StageDuration.objects.get(integration=row, ended_at=None).started_at == now
    assert run_rebuild("--check") == ["Differences: 0"]


def test_check_error_is_an_outage(acme: Any, alice: Any, now: datetime) -> None:
    row = create_integration(acme, alice, "terraform-provider")
    check = next(r for r in row.edition.list_requirements() if r.responsible_party == "portal")
    for n, outcome in enumerate((Status.ERROR, Status.PASS)):
        answers.record_check_outcome(
            row, check.id, outcome=outcome, summary="…", detail=[], retry_at=None, now=now + n * HOUR
        )
    assert run_rebuild("--check") == ["Differences: 0"]


def test_failed_transition_stores_no_segment(integration_at: IntegrationAt, alice: Any, now: datetime) -> None:
    row = integration_at("release")
    before = list_segments(row)
    events = AuditEvent.objects.count()
    with transaction.atomic():
        perform_transition(row, "withdraw", actor=alice, note="No time.", now=now + HOUR)
        assert list_segments(row) != before
        transaction.set_rollback(True)
    assert (list_segments(row), AuditEvent.objects.count()) == (before, events)


def test_changes_are_a_stream_separate_from_the_history(integration_at: IntegrationAt) -> None:
    row = integration_at("review")
    changes = AuditEvent.objects.filter(stream=get_responsibility_stream(row.pk)).order_by("seq")
    assert changes.count() > 2
    assert list(find_chain_faults(changes)) == []
    assert not row.events.filter(event_type="responsibility.changed").exists()


def test_rebuild_repairs_and_reports_manual_changes(integration_at: IntegrationAt) -> None:
    row = integration_at("release")
    StageDuration.objects.filter(integration=row, stage="review").update(responsible_party="partner")
    with pytest.raises(CommandError, match=str(row.pk)):
        run_rebuild("--check")
    assert run_rebuild() == ["Rebuilt integrations: 1", "Differences: 0"]
    StageDuration.objects.all().delete()
    assert run_rebuild() == ["Rebuilt integrations: 1", "Differences: 0"]
