"""Tests that responses to several findings, in turn or at once, leave no finding open."""

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.submissions.models import Finding, Integration
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.services.findings import answer_finding, raise_findings, reopen_finding
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from portal.accounts.models import User
from tests.conftest import NOW, advance_to_stage, create_integration

ROUNDS = 20
AFTER_UNDO = NOW + timedelta(days=1)


def request_four_changes(acme: Partner, alice: User, rita: User) -> tuple[Integration, list[Finding]]:
    """Drive an integration into changes for four findings that can't be undone anymore."""
    row = advance_to_stage(create_integration(acme, alice), "review", partner=alice, reviewer=rita)
    requirement = row.edition.list_requirements()[0].id
    findings = [Finding(requirement_id=requirement, text=f"Change {number}.") for number in range(4)]
    raise_findings(row, findings, actor=rita, now=NOW)
    perform_transition(row, "request_changes", actor=rita, now=NOW)
    refresh_due_integrations(AFTER_UNDO)
    return row, findings


def list_resubmission_blockers(row: Integration, user: User) -> list[str]:
    fresh = Integration.objects.select_related("partner").get(pk=row.pk)
    transitions = list_available_transitions(fresh, user, now=AFTER_UNDO)
    blockers = next(each.blockers for each in transitions if each.name == "resubmit_for_review")
    return [blocker for blocker in blockers if "finding" in blocker]


@pytest.mark.any_database
def test_each_response_on_the_page_counts_at_once(acme: Partner, alice: User, rita: User, sign_in: Any) -> None:
    row, findings = request_four_changes(acme, alice, rita)
    client = sign_in(alice)
    client.get(reverse("submissions:detail", args=[row.uuid]))
    has_open_findings = []
    for finding in findings:
        url = reverse("reviews:answer_finding", args=[finding.pk])
        response = client.post(url, {"answer": "Done."}, headers={"HX-Request": "true"})
        assert response.status_code == 200
        page = BeautifulSoup(response.content, "html.parser")
        has_open_findings.append(bool(re.search(r"Respond to \d", page.get_text())))
        assert bool(list_resubmission_blockers(row, alice)) is has_open_findings[-1]
    assert has_open_findings == [True, True, True, False]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL")
def test_four_responses_at_once_leave_none_open(acme: Partner, alice: User, bob: User, rita: User) -> None:
    row, findings = request_four_changes(acme, alice, rita)

    def respond(finding: Finding, user: User, gate: threading.Barrier) -> None:
        try:
            gate.wait()
            answer_finding(finding, "Done.", actor=user, now=AFTER_UNDO)
        finally:
            connection.close()

    for _ in range(ROUNDS):
        gate = threading.Barrier(4)
        arguments = [(finding, user, gate) for finding, user in zip(findings, (alice, bob, alice, bob), strict=True)]
        threads = [threading.Thread(target=respond, args=each) for each in arguments]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert list(row.findings.values_list("state", flat=True)) == ["resolved"] * 4
        assert Integration.objects.get(pk=row.pk).next_action_code != "respond_to_findings"
        assert list_resubmission_blockers(row, alice) == []
        for finding in findings:
            reopen_finding(finding, actor=rita, now=AFTER_UNDO)
        assert Integration.objects.get(pk=row.pk).next_action_params == {"count": 4}
