"""Tests of forged labels, which GitHub's lists confirm or deny."""

import pytest

from integrations.sla.engine.projection import UNVERIFIED_LABEL_NOTE
from integrations.sla.models import LabelPolicy, MonitoredRepository, SlaClock, SupportIssue, SupportIssueEvent
from integrations.sla.selectors import issue_states
from integrations.sla.services import disputes
from portal.accounts.models import User
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.github.event_verification.forgery import ANSWER, HOUR, forge, poll
from tests.integrations.sla.monitored_repository import COLLABORATOR, OPENED_AT, OUTSIDER, PARTNER, REPORTER, deliver


@pytest.mark.any_database
def test_backdated_pause_label_does_not_pause(monitored_repository: MonitoredRepository, tracker: Tracker) -> None:
    tracker.comment(1, PARTNER, "Please send us the whole log file.", OPENED_AT + HOUR)
    poll(monitored_repository, 2)
    forge(monitored_repository, tracker, lambda copy: copy.label(1, PARTNER, "needs-info", OPENED_AT + 3 * HOUR), 30)
    assert SlaClock.objects.get(target_type="resolve").state == "paused"
    poll(monitored_repository, 32)
    clock = SlaClock.objects.get(target_type="resolve")
    assert (clock.state, clock.due_at) == ("running", OPENED_AT + 48 * HOUR)


def test_forged_critical_label_counts_but_shows_no_permissions_of_its_actor(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    tracker.comment(1, OUTSIDER, ANSWER, OPENED_AT + HOUR / 2)  # an answer if the outsider seemed to have permissions
    deliver(monitored_repository, tracker.webhooks[-1:])
    forge(monitored_repository, tracker, lambda copy: copy.label(1, OUTSIDER, "p0", OPENED_AT + 3 * HOUR), 3)
    poll(monitored_repository, 5)
    poll(monitored_repository, 30)
    issue = SupportIssue.objects.get()
    assert issue.severity == "critical"
    assert list(issue.clocks.filter(stopped_at__isnull=False)) == []
    assert UNVERIFIED_LABEL_NOTE in issue_states.compute_issue_state(issue, OPENED_AT + 30 * HOUR).notes
    assert "missed_at" not in monitored_repository.cursors


@pytest.mark.any_database
def test_listed_critical_label_is_not_denied(monitored_repository: MonitoredRepository, tracker: Tracker) -> None:
    tracker.label(1, COLLABORATOR, "p0", OPENED_AT + 3 * HOUR)
    deliver(monitored_repository, tracker.webhooks)
    poll(monitored_repository, 5)
    poll(monitored_repository, 30)
    assert not SupportIssueEvent.objects.filter(data__has_key="denied").exists()


def test_critical_label_that_also_pauses_is_denied(monitored_repository: MonitoredRepository, tracker: Tracker) -> None:
    labels = {"critical_labels": ["p0"], "pause_labels": ["p0"]}
    policy = LabelPolicy.objects.create(
        integration=monitored_repository.integration, proposed_at=OPENED_AT, state="accepted", **labels
    )
    SupportIssue.objects.update(policy=policy)
    forge(monitored_repository, tracker, lambda copy: copy.label(1, COLLABORATOR, "p0", OPENED_AT + 3 * HOUR), 3)
    poll(monitored_repository, 5)
    poll(monitored_repository, 30)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1


def test_correction_applies_from_the_label_that_github_confirms(
    monitored_repository: MonitoredRepository, tracker: Tracker, rita: User
) -> None:
    tracker.open(REPORTER, "It hangs", OPENED_AT)
    poll(monitored_repository, 1)

    def remove_label(copy: Tracker) -> None:
        copy.issues[2]["labels"].append({"name": "p0"})
        copy.unlabel(2, PARTNER, "p0", OPENED_AT + 2 * HOUR)

    forge(monitored_repository, tracker, remove_label, 3)
    poll(monitored_repository, 5)
    poll(monitored_repository, 26)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1
    tracker.label(2, COLLABORATOR, "p0", OPENED_AT + 27 * HOUR)
    poll(monitored_repository, 28)
    issue = SupportIssue.objects.get(number=2)
    disputes.request_lower_severity(issue, "It isn't critical.", actor=None, now=OPENED_AT + 28 * HOUR)
    disputes.correct_severity(issue, "It isn't critical.", actor=rita, now=OPENED_AT + 29 * HOUR)
    decision = SupportIssueEvent.objects.get(issue=issue, kind="severity_lowered")
    assert decision.data["requested_at"] == (OPENED_AT + 27 * HOUR).isoformat()
