"""Support issues of the demo world, imported week by week through the real intake in the format of GitHub.

The stories continue while the portal runs: the partner finally resolves every open issue, and each story repeats after
eight weeks as a new issue. The portal never polls GitHub for the fictional repositories.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.db import transaction

from integrations.sla import notifications
from integrations.sla import tasks as sla_tasks
from integrations.sla.github import event_mapping, event_store
from integrations.sla.github.event_mapping import IssueUpdate
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue
from integrations.sla.services import disputes, label_proposals, projection
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.value_types import JsonObject
from portal.demo.issues import ANSWER_MESSAGE, BOT, PARTNER, PASSER_BY, STORIES, USER, IssueStory
from portal.reports import tasks

CYCLE = timedelta(days=56)
LATE_DELAY = timedelta(days=9)  # after the opening, until delayed events arrive
RESOLVED_AFTER_HOURS = 24 * 18.0  # after the opening, for issues without an ending
UNREADABLE_INTEGRATION = "Nordlicht"  # its repository is unavailable for some days
UNREADABLE_PERIOD = timedelta(days=6)  # after the demo world is loaded
GITHUB_USERS: dict[str, dict[str, object]] = {
    USER: {"id": 501, "login": "uma-uses-it", "type": "User"},
    PARTNER: {"id": 601, "login": "dana-builds-it", "type": "User"},
    BOT: {"id": 801, "login": "stale[bot]", "type": "Bot"},
    PASSER_BY: {"id": 701, "login": "pete-passes-by", "type": "User"},
}
FICTIONAL_SINCE_KEY = "made_up"  # its value is the time of loading; the portal does not poll such a repository
GITHUB_EVENTS = {"close": "closed", "reopen": "reopened", "label": "labeled", "unlabel": "unlabeled"}


def load_stories(now: datetime) -> None:
    """Import every story up to now, detect breaches on the way, and create the report of the last week."""
    MonitoredRepository.objects.update(poll_at=None, cursors={FICTIONAL_SINCE_KEY: now.isoformat()})
    for days in (*range(56, 0, -7), 0):
        moment = now - timedelta(days=days)
        _sync_repositories(now, moment)
        sla_tasks.advance_due_clocks(moment)
        notifications.send_due_notifications(moment)
    tasks.generate_due_reports(now)
    _record_decisions(now)


def _record_decisions(now: datetime) -> None:
    """Record a notice, a dispute, a lower severity, and a proposed label policy."""
    people = {user.name: user for user in get_user_model().objects.all()}
    scan = Integration.objects.get(name="Umbra scan")
    reason = "Two SLA breaches within two weeks, and one of the issues is still open."
    perform_transition(scan, "issue_notice", actor=people["Rita Reyes"], note=reason, now=now - timedelta(hours=2))
    breached_issue = SupportIssue.objects.select_related("watch", "integration__partner").get(
        title__startswith="Apply deletes rules"
    )
    reason = "We responded by phone within an hour. The reporter opened the issue only for the record."
    disputes.dispute_breach(breached_issue, reason, actor=people["Charlie Cole"], now=now - timedelta(hours=1))
    lowered_issue = SupportIssue.objects.select_related("watch", "integration__partner").get(
        title__startswith="Graphs on the"
    )
    reason = "Tasks are not affected. Only a graph is empty, and the values are available on the command line."
    disputes.request_lower_severity(lowered_issue, reason, actor=people["Alice Archer"], now=now - timedelta(hours=9))
    disputes.lower_severity(
        lowered_issue, "Agreed. All tasks keep running.", actor=people["Rita Reyes"], now=now - timedelta(hours=7)
    )
    driver = Integration.objects.get(name="Booster driver")
    maps = replace(
        label_proposals.build_label_map(None), critical=("crash", "critical", "outage"), bots={801: "rocket-release"}
    )
    label_proposals.propose_label_map(driver, maps, actor=people["Alice Archer"], now=now - timedelta(hours=3))


def update_stories(now: datetime) -> int:
    """Import the latest events of the fictional repositories and return the number of repositories."""
    watches = MonitoredRepository.objects.filter(ended_at=None, cursors__has_key=FICTIONAL_SINCE_KEY).select_related(
        "integration"
    )
    for watch in watches:
        today = datetime.fromisoformat(watch.cursors[FICTIONAL_SINCE_KEY])
        if watch.integration.name == UNREADABLE_INTEGRATION and now < today + UNREADABLE_PERIOD:
            continue
        values = {"data_up_to": now, "last_delivery_at": now, "poll_at": None, "trouble": "", "trouble_since": None}
        MonitoredRepository.objects.filter(pk=watch.pk).update(**values)
        with transaction.atomic():
            _store_issues(watch.pk, today, now, now)
    return len(watches)


def _sync_repositories(today: datetime, moment: datetime) -> None:
    """Import the events up to a moment, except for the unavailable repository."""
    for watch in MonitoredRepository.objects.filter(began_at__lt=moment, ended_at=None).select_related("integration"):
        known_at = moment
        if moment == today and watch.integration.name == UNREADABLE_INTEGRATION:
            known_at = moment - timedelta(days=4)
            trouble = "GitHub denies access. The owner of the repository must grant access again."
            MonitoredRepository.objects.filter(pk=watch.pk).update(trouble=trouble, trouble_since=known_at)
        MonitoredRepository.objects.filter(pk=watch.pk).update(data_up_to=known_at, last_delivery_at=known_at)
        with transaction.atomic():
            _store_issues(watch.pk, today, known_at, moment)


def _store_issues(pk: int, today: datetime, known_at: datetime, now: datetime) -> None:
    watch = event_store.lock_repository(pk)
    assert watch
    issue_updates, event_batches = [], []
    own_stories = [story for story in STORIES if story.integration == watch.integration.name]
    for place, (story, cycle) in enumerate(_iterate_cycles(own_stories, today, known_at)):
        opened_at = today - timedelta(days=story.opened_days_ago) + cycle * CYCLE
        story_updates = list(_build_updates(watch, story, place + 1, opened_at, known_at))
        issue_updates += [update for update in story_updates if isinstance(update, IssueUpdate)]
        event_batches += [update for update in story_updates if isinstance(update, IssueEventBatch)]
    event_store.store_updates(watch, issue_updates, "poll", now, event_batches)
    projection.rebuild_projections(SupportIssue.objects.filter(watch=watch).values_list("pk", flat=True), now)


def _iterate_cycles(
    own_stories: list[IssueStory], today: datetime, known_at: datetime
) -> Iterator[tuple[IssueStory, int]]:
    """Yield each story once per started cycle, in a constant order that determines the issue numbers."""
    for cycle in range(max(0, (known_at - today) // CYCLE + 1) + 1):
        yield from ((story, cycle) for story in own_stories)


def _build_updates(
    watch: MonitoredRepository, story: IssueStory, number: int, opened_at: datetime, known_at: datetime
) -> Iterator[IssueUpdate | IssueEventBatch | None]:
    """Yield the events of a story up to the known time, in the format of GitHub."""
    if opened_at > known_at:
        return
    raw = _build_issue(watch, story, number, opened_at)
    yield event_mapping.map_issue(raw)
    first_events = [(0.2, PARTNER, "label", story.label)] if story.label else []
    is_closed = any(action == "close" and who == PARTNER for _, who, action, _ in story.events)
    end = (
        ()
        if is_closed
        else (
            (RESOLVED_AFTER_HOURS, PARTNER, "comment", ANSWER_MESSAGE),
            (RESOLVED_AFTER_HOURS + 1, PARTNER, "close", ""),
        )
    )
    visible_events = () if story.is_delayed and known_at < opened_at + LATE_DELAY else (*story.events, *end)
    for place, (hours, who, action, text) in enumerate([*first_events, *visible_events]):
        at = opened_at + timedelta(hours=hours)
        if at <= known_at:
            yield _build_event(raw, number * 100 + place, at, who, action, text)


def _build_issue(watch: MonitoredRepository, story: IssueStory, number: int, opened_at: datetime) -> dict[str, object]:
    address = f"https://github.com/{watch.repository}/issues/{number}"
    return {
        "id": watch.pk * 1000 + number,
        "number": number,
        "title": story.title,
        "body": "It worked last week.",
        "user": GITHUB_USERS[USER],
        "author_association": "NONE",
        "html_url": address,
        "created_at": opened_at.isoformat(),
        "updated_at": opened_at.isoformat(),
    }


def _build_event(
    issue: JsonObject, id: int, at: datetime, who: str, action: str, text: str
) -> IssueUpdate | IssueEventBatch | None:
    if action == "comment":
        member = "MEMBER" if who == PARTNER else "NONE"
        moment = at.isoformat()
        raw = {"id": issue["id"] * 100 + id, "body": text, "user": GITHUB_USERS[who], "author_association": member}
        return IssueEventBatch(
            issue["number"], event_mapping.map_comment(raw | {"created_at": moment, "updated_at": moment})
        )
    raw = {
        "id": issue["id"] * 100 + id,
        "event": GITHUB_EVENTS[action],
        "actor": GITHUB_USERS[who],
        "created_at": at.isoformat(),
    }
    return event_mapping.map_event(raw | {"issue": issue, "label": {"name": text}, "state_reason": "completed"})
