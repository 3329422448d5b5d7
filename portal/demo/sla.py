"""Support issues of the demo world, imported week by week through the real intake in the format of GitHub.

The issues continue while the portal runs: the partner finally resolves every open issue, and each repeats after eight
weeks as a new issue. The portal never polls GitHub for the fictional repositories.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction

from integrations.sla import notifications, tasks as sla_tasks
from integrations.sla.github import event_mapping, event_store
from integrations.sla.github.event_mapping import IssueUpdate
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue
from integrations.sla.selectors import policies
from integrations.sla.services import disputes, label_proposals, monitoring, projection
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from portal.demo.content import ISSUES, WORLD, DemoIssue, DemoIssueEvent
from portal.directory.partner_replies import save_reply
from portal.reports import tasks
from verification.sources.github.issue_models import GitHubComment, GitHubIssue, GitHubIssueEvent

CYCLE = timedelta(days=56)
LATE_DELAY = timedelta(days=9)  # after the opening, until delayed events arrive
RESOLVED_AFTER_HOURS = 24 * 18.0  # after the opening, for issues without an ending
INTEGRATIONS_WITH_ISSUES = {demo_issue.integration for demo_issue in ISSUES}
UNREADABLE_INTEGRATION = "Nordlicht"  # its repository is unavailable for some days
# Around the time of loading
UNREADABLE_BEFORE = timedelta(days=4)
UNREADABLE_PERIOD = timedelta(days=6)
ANSWER_MESSAGE = "I found the cause: the client stops after the first timeout. The next release contains the fix."
GITHUB_USERS: dict[str, dict[str, object]] = {
    "user": {"id": 501, "login": "uma-uses-it", "type": "User"},
    "partner": {"id": 601, "login": "dana-builds-it", "type": "User"},
    "bot": {"id": 801, "login": "stale[bot]", "type": "Bot"},
    "other_user": {"id": 701, "login": "other-user", "type": "User"},
}
FICTIONAL_SINCE_KEY = "made_up"  # its value is the time of loading; the portal does not poll such a repository
GITHUB_EVENTS = {"close": "closed", "reopen": "reopened", "label": "labeled", "unlabel": "unlabeled"}


def load_issues(now: datetime) -> None:
    """Import every issue up to now, detect breaches on the way, and create the report of the last week."""
    MonitoredRepository.objects.update(poll_at=None, cursors={FICTIONAL_SINCE_KEY: now.isoformat()})
    for days in (*range(56, 0, -7), 2):
        _advance_to(now - timedelta(days=days), now)
    _save_replies(now - timedelta(days=2))
    _advance_to(now - timedelta(hours=12), now)
    _record_decisions(now)
    _advance_to(now, now)
    tasks.generate_due_reports(now)


def _advance_to(moment: datetime, today: datetime) -> None:
    """Import the events up to a moment, and do what is due then."""
    _sync_repositories(today, moment)
    sla_tasks.advance_due_clocks(moment)
    notifications.send_due_notifications(moment)


def _save_replies(now: datetime) -> None:
    """Save the replies of partners to their support records."""
    for entry in WORLD.integrations:
        if entry.reply:
            integration = Integration.objects.select_related("partner").get(name=entry.name)
            save_reply(integration, entry.reply, actor=integration.created_by, now=now)


def _record_decisions(now: datetime) -> None:
    """Record a notice, a dispute, a lower severity, and a proposed label policy."""
    people = {user.name: user for user in User.objects.all()}
    scan = Integration.objects.get(name="Umbra scan")
    reason = "Two SLA breaches within two weeks, and one of the issues is still open."
    perform_transition(scan, "issue_notice", actor=people["Rita Reyes"], note=reason, now=now - timedelta(hours=2))
    issues = SupportIssue.objects.select_related("monitored_repository", "integration__partner")
    breached_issue = issues.get(title__startswith="Apply deletes rules")
    reason = "We responded by phone within an hour. The reporter opened the issue only for the record."
    disputes.dispute_breach(breached_issue, reason, actor=people["Charlie Cole"], now=now - timedelta(hours=1))
    lowered_issue = issues.get(title__startswith="Graphs on the")
    reason = "Tasks are not affected. Only a graph is empty, and the values are available on the command line."
    disputes.request_lower_severity(lowered_issue, reason, actor=people["Alice Archer"], now=now - timedelta(hours=9))
    disputes.lower_severity(
        lowered_issue, "Agreed. All tasks keep running.", actor=people["Rita Reyes"], now=now - timedelta(hours=7)
    )
    driver = Integration.objects.get(name="Booster driver")
    policy = policies.build_default_policy()
    policy.critical_labels = ["crash", "critical", "outage"]
    policy.bots = [801]
    policy.logins = {"801": "rocket-release"}
    label_proposals.propose_label_policy(driver, policy, actor=people["Alice Archer"], now=now - timedelta(hours=3))


def update_issues(now: datetime) -> int:
    """Import the latest events of the fictional repositories and return the number of repositories."""
    monitored_repositories = MonitoredRepository.objects.filter(
        ended_at=None, cursors__has_key=FICTIONAL_SINCE_KEY
    ).select_related("integration")
    for monitored_repository in monitored_repositories:
        today = datetime.fromisoformat(monitored_repository.cursors[FICTIONAL_SINCE_KEY])
        if monitored_repository.integration.name == UNREADABLE_INTEGRATION and now < today + UNREADABLE_PERIOD:
            continue
        _sync_repository(monitored_repository, today, now, now, poll_at=None, trouble="", trouble_since=None)
    return len(monitored_repositories)


def _sync_repositories(today: datetime, moment: datetime) -> None:
    """Import the events up to a moment, except for the unavailable repository."""
    monitored_repositories = MonitoredRepository.objects.filter(began_at__lt=moment, ended_at=None)
    for monitored_repository in monitored_repositories.select_related("integration"):
        unreadable_at = today - UNREADABLE_BEFORE
        if monitored_repository.integration.name == UNREADABLE_INTEGRATION and moment > unreadable_at:
            trouble = "GitHub denies access. The owner of the repository must grant access again"
            _sync_repository(
                monitored_repository, today, unreadable_at, moment, trouble=trouble, trouble_since=unreadable_at
            )
        else:
            _sync_repository(monitored_repository, today, moment, moment)


def _sync_repository(
    monitored_repository: MonitoredRepository, today: datetime, known_at: datetime, now: datetime, **values: object
) -> None:
    """Import the events of a repository up to the known time, and set these values and the times of its columns."""
    values |= {"data_up_to": known_at, "last_delivery_at": known_at}
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(**values)
    if monitored_repository.integration.name in INTEGRATIONS_WITH_ISSUES:
        with transaction.atomic():
            _store_issues(monitored_repository.pk, today, known_at, now)


def _store_issues(pk: int, today: datetime, known_at: datetime, now: datetime) -> None:
    monitored_repository = monitoring.lock_repository(pk)
    assert monitored_repository
    issue_updates = []
    event_batches = []
    own_issues = [
        demo_issue for demo_issue in ISSUES if demo_issue.integration == monitored_repository.integration.name
    ]
    for place, (demo_issue, cycle) in enumerate(_iterate_cycles(own_issues, today, known_at)):
        opened_at = today - timedelta(days=demo_issue.opened_days_ago) + cycle * CYCLE
        own_updates = list(_build_updates(monitored_repository, demo_issue, place + 1, opened_at, known_at))
        issue_updates += [update for update in own_updates if isinstance(update, IssueUpdate)]
        event_batches += [update for update in own_updates if isinstance(update, IssueEventBatch)]
    event_store.store_updates(monitored_repository, issue_updates, "poll", now, event_batches)
    projection.rebuild_projections(
        SupportIssue.objects.filter(monitored_repository=monitored_repository).values_list("pk", flat=True), now
    )


def _iterate_cycles(
    own_issues: list[DemoIssue], today: datetime, known_at: datetime
) -> Iterator[tuple[DemoIssue, int]]:
    """Yield each issue once per started cycle, in a constant order that determines the issue numbers."""
    for cycle in range(max(0, (known_at - today) // CYCLE + 1) + 1):
        yield from ((demo_issue, cycle) for demo_issue in own_issues)


def _build_updates(
    monitored_repository: MonitoredRepository,
    demo_issue: DemoIssue,
    number: int,
    opened_at: datetime,
    known_at: datetime,
) -> Iterator[IssueUpdate | IssueEventBatch | None]:
    """Yield the events of an issue up to the known time, in the format of GitHub."""
    if opened_at > known_at:
        return
    raw = _build_issue(monitored_repository, demo_issue, number, opened_at)
    yield event_mapping.map_issue(GitHubIssue.model_validate(raw))
    events = demo_issue.list_events()
    if not any(event.action == "close" and event.author == "partner" for event in events):
        events += (
            DemoIssueEvent(RESOLVED_AFTER_HOURS, "partner", "comment"),
            DemoIssueEvent(RESOLVED_AFTER_HOURS + 1, "partner", "close"),
        )
    if demo_issue.is_delayed and known_at < opened_at + LATE_DELAY:
        events = ()
    if demo_issue.label:
        events = (DemoIssueEvent(0.2, "partner", "label", demo_issue.label), *events)
    for place, event in enumerate(events):
        at = opened_at + timedelta(hours=event.after_hours)
        if at <= known_at:
            yield _build_event(raw, number * 100 + place, at, event)


def _build_issue(
    monitored_repository: MonitoredRepository, demo_issue: DemoIssue, number: int, opened_at: datetime
) -> dict[str, object]:
    address = f"https://github.com/{monitored_repository.repository}/issues/{number}"
    return {
        "id": monitored_repository.pk * 1000 + number,
        "number": number,
        "title": demo_issue.title,
        "body": "It worked last week.",
        "user": GITHUB_USERS["user"],
        "author_association": "NONE",
        "html_url": address,
        "created_at": opened_at.isoformat(),
        "updated_at": opened_at.isoformat(),
    }


def _build_event(
    issue: JsonObject, id: int, at: datetime, event: DemoIssueEvent
) -> IssueUpdate | IssueEventBatch | None:
    raw = {"id": issue["id"] * 100 + id}
    user = GITHUB_USERS[event.author]
    moment = at.isoformat()
    if event.action == "comment":
        member = "MEMBER" if event.author == "partner" else "NONE"
        raw |= {"body": event.text or ANSWER_MESSAGE, "user": user, "author_association": member}
        comment = GitHubComment.model_validate(raw | {"created_at": moment, "updated_at": moment})
        return IssueEventBatch(issue["number"], event_mapping.map_comment(comment))
    raw |= {"event": GITHUB_EVENTS[event.action], "actor": user, "created_at": moment, "issue": issue}
    raw |= {"label": {"name": event.text}, "state_reason": "completed"}
    return event_mapping.map_event(GitHubIssueEvent.model_validate(raw))
