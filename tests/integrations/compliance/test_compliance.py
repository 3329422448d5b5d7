"""Tests of the compliance procedure, its evidence, and its notifications."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from integrations.compliance import tasks
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssueEvent
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import person
from tests.integrations.sla.clocks import clock_of, issue_of
from verification.checks.models import Observation
from verification.checks.runner import FROZEN_KEY

DAY = timedelta(days=1)
ARGUMENTS_BY_TRANSITION: dict[str, dict[str, Any]] = {
    "suggest_notice": {"why": "2 breaches"},
    "pause_deadline": {"acts": []},
}
WHY = "The promise was not kept."
STEPS = (
    "issue_notice",
    "dismiss_request",
    "resume_deadline",
    "suspend",
    "suspend_immediately",
    "delist",
    "uphold_appeal",
    "dismiss_appeal",
    "withdraw_notice",
    "reinstate",
    "appeal",
    "request_reinstatement",
    "downgrade_to_community",
    "suggest_notice",
    "pause_deadline",
)


@pytest.fixture
def listed_integration(at: Callable[..., Integration], now: datetime) -> Integration:
    row = at("support", program="terraform-provider")
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)
    return row


@pytest.fixture
def rae(db: None) -> Any:
    """A third reviewer."""
    return person("rae@program.example", "Rae Ruiz", is_reviewer=True)


def fresh(row: Integration) -> Integration:
    return Integration.objects.select_related("partner").get(pk=row.pk)


def take(row: Integration, step: str, by: Any, now: datetime, **inputs: Any) -> Integration:
    perform_transition(fresh(row), step, actor=by, note=WHY, now=now, **inputs)
    return fresh(row)


def refusal(row: Integration, step: str, by: Any, now: datetime) -> str:
    with pytest.raises(ActionRefused) as error:
        perform_transition(fresh(row), step, actor=by, note=WHY, now=now)
    return str(error.value)


def turn(row: Integration) -> tuple[str, str, str]:
    row = fresh(row)
    return row.listing_status, row.responsible_party, row.next_action_text


def keep_fresh(row: Integration, now: datetime) -> None:
    """The machine looked again: what it looks at is in order now."""
    for requirement in row.edition.requirements():
        if requirement.responsible_party == "machine":
            answers.record_check_outcome(
                fresh(row), requirement.id, outcome=Status.PASS, summary="Good.", detail=[], retry_at=None, now=now
            )


@pytest.fixture
def states(
    listed_integration: Integration, rita: Any, rob: Any, alice: Any, now: datetime
) -> Callable[[str], Integration]:
    """The integration in a state of the process, taken there through the door; rita began, rob went on."""
    path = {
        "listed": [],
        "asked": [("suggest_notice", None, 0)],
        "on_notice": [("issue_notice", rita, 0)],
        "ended": [("issue_notice", rita, 0), ("", None, 30)],
        "acted": [("issue_notice", rita, 0), ("pause_deadline", None, 1)],
        "appealed": [("issue_notice", rita, 0), ("appeal", alice, 1)],
        "suspended": [("issue_notice", rita, 0), ("suspend", rob, 30)],
        "over": [("issue_notice", rita, 0), ("suspend", rob, 30), ("", None, 60)],
        "delisted": [("issue_notice", rita, 0), ("suspend", rob, 30), ("delist", rita, 90)],
        "unlisted": [("downgrade_to_community", alice, 0)],
    }

    def reach(name: str) -> Integration:
        row = listed_integration
        for step, by, after in path[name]:
            row = take(row, step, by, now + DAY * after, **ARGUMENTS_BY_TRANSITION.get(step, {})) if step else row
        return fresh(row)

    return reach


# state: (days after the beginning, {step: those who may}); everybody else may not, everything else is refused
ALLOWED_TRANSITIONS: dict[str, tuple[int, dict[str, str]]] = {
    "listed": (1, {"issue_notice": "rita rob rae", "downgrade_to_community": "alice", "suggest_notice": "machine"}),
    "asked": (
        1,
        {"issue_notice": "rita rob rae", "dismiss_request": "rita rob rae", "downgrade_to_community": "alice"},
    ),
    "on_notice": (
        2,
        {
            "withdraw_notice": "rita rob rae",
            "appeal": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "machine",
        },
    ),
    "ended": (
        31,
        {
            "withdraw_notice": "rita rob rae",
            "suspend": "rob rae",
            "appeal": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "machine",
        },
    ),
    "acted": (
        40,
        {
            "withdraw_notice": "rita rob rae",
            "resume_deadline": "rita rob rae",
            "appeal": "alice bob",
            "downgrade_to_community": "alice",
        },
    ),
    "appealed": (40, {"uphold_appeal": "rob rae", "dismiss_appeal": "rob rae", "downgrade_to_community": "alice"}),
    "suspended": (
        31,
        {
            "reinstate": "rita rob rae",
            "appeal": "alice bob",
            "request_reinstatement": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "machine",
        },
    ),
    "over": (
        91,
        {
            "reinstate": "rita rob rae",
            "delist": "rita rae",
            "appeal": "alice bob",
            "request_reinstatement": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "machine",
        },
    ),
    "delisted": (92, {"reinstate": "rita rob rae", "request_reinstatement": "alice bob"}),
    "unlisted": (1, {"reinstate": "rita rob rae", "request_reinstatement": "alice bob"}),
}


@pytest.mark.parametrize("state", ALLOWED_TRANSITIONS)
def test_permissions_by_state_and_role(
    state: str, states: Any, now: datetime, alice: Any, bob: Any, charlie: Any, rita: Any, rob: Any, rae: Any, sam: Any
) -> None:
    days, expected_steps = ALLOWED_TRANSITIONS[state]
    row, then = states(state), now + DAY * days
    keep_fresh(row, then)
    people = {"alice": alice, "bob": bob, "charlie": charlie, "rita": rita, "rob": rob, "rae": rae, "sam": sam}
    steps_by_name: dict[str, str] = {}
    for step in STEPS:
        may = [name for name, who in people.items() if can(row, step, who, then)]
        machine = ["machine"] if can_machine(row, step, then) else []
        if may or machine:
            steps_by_name[step] = " ".join([*may, *machine])
    assert steps_by_name == expected_steps


def can(row: Integration, step: str, who: Any, now: datetime) -> bool:
    return any(a.name == step and a.is_ready for a in list_available_transitions(fresh(row), who, now=now))


def can_machine(row: Integration, step: str, now: datetime) -> bool:
    try:
        with transaction.atomic():
            perform_transition(fresh(row), step, actor=None, note=WHY, now=now, why="x", acts=[])
            transaction.set_rollback(True)
    except ActionRefused:
        return False
    return True


@pytest.fixture
def late(states: Any, now: datetime) -> SlaClock:
    """Under notice since `now`, for an issue that was due the day before and is not answered."""
    row = states("listed")
    issue = issue_of(MonitoredRepository.objects.get(integration=row), 7, now - 3 * DAY)
    opening = {"key": "opened", "kind": "opened", "at": issue.opened_at, "seen_at": now, "source": "poll"}
    SupportIssueEvent.objects.create(issue=issue, actor_id=5, actor="reporter", actor_type="User", **opening)
    clock = clock_of(issue, now - DAY, state="overdue", next_at=None, breached_at=now - DAY)
    SlaBreach.objects.create(
        clock=clock,
        issue=issue,
        integration=row,
        target_type="resolve",
        severity="critical",
        due_at=now - DAY,
        found_at=now,
    )
    return clock


@pytest.fixture
def integration_on_notice(late: SlaClock, listed_integration: Integration, rita: Any, now: datetime) -> Integration:
    return take(listed_integration, "issue_notice", rita, now)


def acts_told(row: Integration) -> list[dict[str, str]]:
    last = row.events.last()
    assert last is not None
    return list(last.data["acts"])


def comment(clock: SlaClock, at: datetime, association: str = "MEMBER", number: int = 1) -> None:
    SupportIssueEvent.objects.create(
        issue=clock.issue,
        key=f"comment:{number}",
        kind="commented",
        at=at,
        seen_at=at,
        source="webhook",
        actor_id=9,
        actor="dev",
        actor_type="User",
        association=association,
        text="Fixed in 1.2.",
    )


def test_notice_email_has_reason_and_deadline(integration_on_notice: Integration, alice: Any) -> None:
    email = EmailMessage.objects.get(event__event_type="compliance.notice_issued")
    assert (email.to, email.subject) == (alice.email, "Notice issued: Rocket")
    for words in (
        WHY,
        "The notice period ends Thu, May 14, 9:00 AM UTC.",
        integration_on_notice.edition.removal,
        "Action required: Respond",
    ):
        assert words in email.text
    assert turn(integration_on_notice) == ("on_notice", "partner", "Respond to the notice")
    assert integration_on_notice.action_due_at == integration_on_notice.compliance_deadline_at


def test_ended_period_notifies_program_once(integration_on_notice: Integration, now: datetime) -> None:
    moments = [now + 29 * DAY, now + 30 * DAY, now + 31 * DAY, now + 300 * DAY]
    assert [tasks.advance_cases(at) for at in moments] == [0, 1, 0, 0]
    assert turn(integration_on_notice) == (
        "on_notice",
        "program",
        "Decide on the suspension",
    )
    assert fresh(integration_on_notice).reasons == ["deadline ended"]
    assert (
        EmailMessage.objects.get(event__event_type="compliance.deadline_expired").to
        == integration_on_notice.edition.mailbox
    )


def test_answer_on_breached_issue_pauses_deadline(
    integration_on_notice: Integration, late: SlaClock, now: datetime, rita: Any, rob: Any
) -> None:
    comment(late, now + 10 * DAY)
    assert [tasks.advance_cases(now + 10 * DAY), tasks.advance_cases(now + 11 * DAY)] == [1, 0]
    row = fresh(integration_on_notice)
    assert (row.compliance_deadline_at, row.deadline_remaining, row.responsible_party) == (None, 20 * DAY, "program")
    assert (
        "Acme answered on acme/terraform-provider-rocket#7"
        in EmailMessage.objects.filter(event__event_type="compliance.deadline_paused")[0].text
    )
    assert "Review the response first" in refusal(row, "suspend", rob, now + 60 * DAY)
    row = take(row, "resume_deadline", rita, now + 40 * DAY)
    assert (row.compliance_deadline_at, row.deadline_pause_reason) == (now + 60 * DAY, "")
    comment(late, now + 41 * DAY, number=2)
    assert tasks.advance_cases(now + 42 * DAY) == 0  # an issue holds the period once
    assert take(row, "suspend", rob, now + 60 * DAY).listing_status == "suspended"


def test_unrecorded_activity_blocks_suspension(
    integration_on_notice: Integration, late: SlaClock, now: datetime, rob: Any
) -> None:
    comment(late, now + 30 * DAY)
    assert "Acme answered on" in refusal(integration_on_notice, "suspend", rob, now + 31 * DAY)


@pytest.mark.parametrize("association", ["NONE", "CONTRIBUTOR"])
def test_comment_of_outsider_does_not_pause_deadline(
    integration_on_notice: Integration, late: SlaClock, now: datetime, association: str
) -> None:
    comment(late, now + DAY, association)
    assert tasks.advance_cases(now + 2 * DAY) == 0


def test_release_and_retraction_pause_deadline(integration_on_notice: Integration, now: datetime, rita: Any) -> None:
    then = now + DAY
    Observation.objects.create(
        integration=integration_on_notice,
        key="release.newest",
        value="1.2.0",
        source="x",
        since=then,
        confirmed_at=then,
    )
    assert tasks.advance_cases(then) == 1
    assert acts_told(integration_on_notice)[0]["said"] == "New release: 1.2.0"
    take(integration_on_notice, "resume_deadline", rita, then)
    SlaBreach.objects.update(retracted_at=then + DAY, retracted_why="It came in time.")
    assert tasks.advance_cases(then + DAY) == 1
    assert acts_told(integration_on_notice)[-1]["said"].endswith("#7 retracted")


def test_data_gap_blocks_suspension(integration_on_notice: Integration, now: datetime, rob: Any) -> None:
    MonitoredRepository.objects.update(data_up_to=now + 29 * DAY)
    assert "Our issue data ends Wed, May 13" in refusal(integration_on_notice, "suspend", rob, now + 31 * DAY)


def test_appeal_pauses_deadline_and_needs_another_reviewer(
    integration_on_notice: Integration, now: datetime, alice: Any, rita: Any, rob: Any
) -> None:
    row = take(integration_on_notice, "appeal", alice, now + 29 * DAY)
    assert turn(row) == ("on_notice", "program", "Decide on the appeal against the notice")
    assert "Decide on the open appeal first" in refusal(row, "suspend", rob, now + 90 * DAY)
    assert "Another reviewer must decide" in refusal(row, "dismiss_appeal", rita, now + 90 * DAY)
    row = take(row, "dismiss_appeal", rob, now + 90 * DAY)
    assert row.compliance_deadline_at == now + 91 * DAY
    assert "You already appealed." in refusal(row, "appeal", alice, now + 90 * DAY)


def test_evidence_is_frozen_with_each_decision(
    integration_on_notice: Integration, late: SlaClock, now: datetime, rob: Any, sign_in: Any, alice: Any, charlie: Any
) -> None:
    SlaBreach.objects.update(retracted_at=now + DAY, retracted_why="It came in time.")
    seq = integration_on_notice.events.get(event_type="compliance.notice_issued").seq
    frozen = sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/{seq}/evidence.json").json()
    live = sign_in(rob).get(f"/integrations/{integration_on_notice.uuid}/compliance/evidence.json").json()
    assert [len(frozen["breaches"]), len(frozen["retracted"])] == [1, 0]
    assert [len(live["breaches"]), len(live["retracted"])] == [0, 1]
    assert frozen["rule"] == integration_on_notice.edition.removal
    assert frozen["breaches"][0]["clock"]["words"][-1]
    page = sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/{seq}/")
    assert "Evidence at the time of a decision" in page.text
    assert sign_in(charlie).get(f"/integrations/{integration_on_notice.uuid}/compliance/").status_code == 404
    assert sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/1/").status_code == 404


def test_evidence_lists_emails_with_delivery_status(
    integration_on_notice: Integration, alice: Any, sign_in: Any
) -> None:
    EmailMessage.objects.filter(event__event_type="compliance.notice_issued").update(state="failed")
    data = sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/evidence.json").json()["told"]
    assert [(mail["subject"], mail["to"], mail["fate"]) for mail in data] == [
        ("Notice issued: Rocket", alice.email, "Failed")
    ]


@pytest.mark.parametrize(
    ("state", "words", "listed_there"),
    [
        ("on_notice", "Partner", True),
        ("suspended", "Suspended", True),
        ("delisted", "No longer listed", False),
        ("unlisted", "Community", False),
    ],
)
def test_public_status_hides_notice(states: Any, client: Any, state: str, words: str, listed_there: bool) -> None:
    row = states(state)
    page = client.get(f"/directory/{row.uuid}/").text
    assert words in page
    assert "otice" not in page
    assert ("<strong>Partner</strong>" in page) == (state == "on_notice")
    assert (f"/directory/{row.uuid}/" in client.get("/directory/").text) == listed_there
    assert (f"/directory/{row.uuid}/" in client.get("/directory/?listing_status=former").text) != listed_there


def test_transition_page_shows_public_status(
    states: Any, rob: Any, sign_in: Any, time_machine: Any, now: datetime
) -> None:
    row = states("ended")
    time_machine.move_to(now + 31 * DAY, tick=False)
    page = sign_in(rob).get(f"/integrations/{row.uuid}/steps/suspend/").text
    assert "Public listing after this step" in page
    assert "The program suspended this integration" in page
    assert "Subject" in page


def test_downgrade_to_community_ends_clocks(states: Any, late: SlaClock, alice: Any, now: datetime) -> None:
    SlaClock.objects.update(state="running", next_at=now + DAY)
    row = take(late.integration, "downgrade_to_community", alice, now)
    assert (row.listing_status, row.tier, row.responsible_party) == ("unlisted", "community", "machine")
    assert SlaClock.objects.get().next_at is None
    email = EmailMessage.objects.get(event__event_type="compliance.downgraded")
    assert "ended the support commitment for Rocket. Thank you" in email.text


def test_breaches_suggest_a_notice_once(states: Any, late: SlaClock, now: datetime, rita: Any, settings: Any) -> None:
    assert tasks.advance_cases(now) == 0
    second = clock_of(issue_of(late.watch, 8, now - 3 * DAY), now - DAY, state="late", next_at=None)
    breach = {"issue": second.issue, "integration": second.integration, "target_type": "resolve", "severity": "other"}
    SlaBreach.objects.create(clock=second, due_at=now - DAY, found_at=now + timedelta(hours=1), **breach)
    SlaBreach.objects.update(found_at=now + timedelta(hours=1))
    assert [tasks.advance_cases(now + DAY), tasks.advance_cases(now + DAY)] == [1, 0]
    row = fresh(late.integration)
    assert turn(row) == ("listed", "program", "Decide on the compliance request: 2 SLA breaches within 90 days")
    assert row.reasons == ["2 SLA breaches within 90 days"]
    take(row, "dismiss_request", rita, now + 2 * DAY)
    SlaClock.objects.update(state="met")
    assert tasks.advance_cases(now + 3 * DAY) == 0


def test_long_overdue_issue_suggests_notice(late: SlaClock, now: datetime) -> None:
    assert tasks.advance_cases(now + DAY - timedelta(minutes=1)) == 0
    assert tasks.advance_cases(now + DAY) == 1
    assert turn(late.integration)[2] == "Decide on the compliance request: an issue took more than 2 times its target"


def test_transferred_repository_is_suspended_immediately_and_delisted_by_another_reviewer(
    listed_integration: Integration, rita: Any, rob: Any, alice: Any, client: Any, now: datetime
) -> None:
    assert refusal(listed_integration, "suspend_immediately", rita, now)
    why = "acme/rocket now belongs to globex; a person confirms the new owner."
    Observation.objects.create(
        integration=listed_integration,
        key=FROZEN_KEY,
        value=why,
        source="repository.owner",
        since=now,
        confirmed_at=now,
    )
    perform_transition(listed_integration, "put_on_hold", actor=None, note=why, now=now, waits_for="program")
    for nobody in (alice, None):
        assert refusal(listed_integration, "suspend_immediately", nobody, now)
    row = take(listed_integration, "suspend_immediately", rita, now)
    assert (row.listing_status, row.suspended_by, row.compliance_deadline_at) == ("suspended", rita, now + 60 * DAY)
    email = EmailMessage.objects.get(event__event_type="compliance.suspended_immediately")
    assert (email.to, email.subject) == (alice.email, "Suspended immediately: Rocket")
    assert "the owner of its repository changed" in email.text
    assert "Suspended" in client.get(f"/directory/{row.uuid}/").content.decode()
    last = row.events.get(event_type="compliance.suspended_immediately")
    assert (last.note, last.data["evidence"]["listing_status"]) == (WHY, "listed")
    over = now + 61 * DAY
    perform_transition(fresh(row), "resume", actor=rob, now=over)
    assert refusal(row, "delist", rita, over)
    assert take(row, "delist", rob, over).listing_status == "delisted"


def test_other_hold_does_not_allow_immediate_suspension(
    listed_integration: Integration, rita: Any, now: datetime
) -> None:
    perform_transition(listed_integration, "put_on_hold", actor=rita, note="The upstream project waits.", now=now)
    assert refusal(listed_integration, "suspend_immediately", rita, now)
