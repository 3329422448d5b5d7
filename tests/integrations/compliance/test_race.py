"""Tests of concurrent compliance decisions on PostgreSQL."""

import threading
from typing import Any

import pytest
from django.db import connection

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from tests.conftest import NOW, advance_to_stage, create_integration
from tests.integrations.compliance.transitions import DAY, perform_and_reload
from tests.integrations.database_rows import reload_row

ROUNDS = 6

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


@pytest.fixture
def listed_integration(acme: Any, alice: Any, rita: Any) -> Integration:
    row = advance_to_stage(create_integration(acme, alice), "support", partner=alice, reviewer=rita)
    MonitoredRepository.objects.update(data_up_to=NOW + 9999 * DAY)
    return row


def perform_concurrently(row: Integration, now: Any, *pair: tuple[str, Any], has_version: bool) -> dict[str, str]:
    """Perform each transition in its own thread. Return "done" or the kind of refusal by transition.

    With `has_version`, both name the version of the row that they saw.
    """
    gate = threading.Barrier(len(pair))
    outcomes = {}
    version = row.version if has_version else None

    def perform_in_thread(step: str, by: Any) -> None:
        try:
            gate.wait()
            perform_transition(row, step, actor=by, note="Because.", now=now, version=version)
            outcomes[step] = "done"
        except ActionRefused as get_refusal:
            outcomes[step] = get_refusal.kind
        finally:
            connection.close()

    threads = [threading.Thread(target=perform_in_thread, args=each) for each in pair]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.parametrize("has_version", [True, False])
def test_concurrent_appeal_and_suspension_end_in_a_consistent_state(
    listed_integration: Integration, alice: Any, rita: Any, rob: Any, has_version: bool
) -> None:
    now = NOW + DAY
    for _ in range(ROUNDS):
        row = perform_and_reload(listed_integration, "issue_notice", rita, now)
        now += 31 * DAY
        outcomes = perform_concurrently(row, now, ("appeal", alice), ("suspend", rob), has_version=has_version)
        row = reload_row(row)
        if row.listing_status == "on_notice":
            assert outcomes == {"appeal": "done", "suspend": "conflict" if has_version else "requirements-not-met"}
            assert row.deadline_pause_reason == "appeal"
        else:  # the suspension came first, so the appeal is against it
            assert outcomes == {"suspend": "done", "appeal": "conflict" if has_version else "done"}
            assert row.deadline_pause_reason == ("" if has_version else "appeal")
        if row.deadline_pause_reason:
            row = perform_and_reload(row, "uphold_appeal", create_third_reviewer(), now)
        else:
            row = perform_and_reload(row, "reinstate", rita, now)
        assert row.listing_status == "listed"


@pytest.mark.parametrize("has_version", [True, False])
def test_concurrent_reinstatement_and_delisting_end_in_a_consistent_state(
    listed_integration: Integration, rita: Any, rob: Any, has_version: bool
) -> None:
    now = NOW + DAY
    for _ in range(ROUNDS):
        MonitoredRepository.objects.update(data_up_to=NOW + 9999 * DAY)  # a reinstatement restarts the monitoring
        row = perform_and_reload(listed_integration, "issue_notice", rita, now)
        row = perform_and_reload(row, "suspend", rob, now + 31 * DAY)
        now += 92 * DAY
        outcomes = perform_concurrently(row, now, ("reinstate", rob), ("delist", rita), has_version=has_version)
        listing_status = reload_row(row).listing_status
        if outcomes["delist"] != "done":  # the reinstatement came first, so there is nothing to delist
            assert (listing_status, outcomes["reinstate"]) == ("listed", "done")
            assert outcomes["delist"] in ("conflict", "invalid-transition")
        else:  # the delisting came first: an outdated version is a conflict, a current one can be reinstated
            assert (listing_status, outcomes["reinstate"]) in (("delisted", "conflict"), ("listed", "done"))
        if listing_status == "delisted":
            perform_and_reload(row, "reinstate", rob, now)
        assert reload_row(row).listing_status == "listed"


def create_third_reviewer() -> Any:
    """Return a reviewer who made no earlier decision."""
    return User.objects.get_or_create(email="c@program.example", defaults={"name": "Charlotte", "is_reviewer": True})[0]
