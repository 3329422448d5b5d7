"""How do the demo world's issues come in? As GitHub lists them, through the real intake, week by week up to today.

The stories go on as long as the portal runs: whatever is left open is settled in the end, and each story is told again
after eight weeks, as another issue. Nobody asks GitHub for the made-up repositories.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from integrations.sla import notifications
from integrations.sla import tasks as sweep
from integrations.sla.github import event_mapping, event_store
from integrations.sla.github.event_mapping import IssueUpdate
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue
from integrations.sla.services import disputes, label_proposals, projection
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.demo.issues import ANSWER_MESSAGE, BOT, PARTNER, PASSER_BY, STORIES, USER, IssueStory
from portal.reports import tasks

CYCLE = timedelta(days=56)
LATE_DELAY = timedelta(days=9)  # after the opening: then what was told late is known
SETTLED_AFTER_HOURS = 24 * 18.0  # hours after the opening at which what nobody settled is settled
UNREADABLE_INTEGRATION = "Nordlicht"  # its repository could not be read for some days
UNREADABLE_PERIOD = timedelta(days=6)  # from the day on which the world is loaded
GITHUB_USERS: dict[str, dict[str, Any]] = {
    USER: {"id": 501, "login": "uma-uses-it", "type": "User"},
    PARTNER: {"id": 601, "login": "dana-builds-it", "type": "User"},
    BOT: {"id": 801, "login": "stale[bot]", "type": "Bot"},
    PASSER_BY: {"id": 701, "login": "pete-passes-by", "type": "User"},
}
FICTIONAL_SINCE_KEY = "made_up"  # since when: nobody asks GitHub for such a repository
GITHUB_EVENTS = {"close": "closed", "reopen": "reopened", "label": "labeled", "unlabel": "unlabeled"}


def load_stories(now: datetime) -> None:
    """Tell every story up to now, find what is late on the way, and report the last week."""
    MonitoredRepository.objects.update(poll_at=None, cursors={FICTIONAL_SINCE_KEY: now.isoformat()})
    for days in (*range(56, 0, -7), 0):
        moment = now - timedelta(days=days)
        _sync_repositories(now, moment)
        sweep.advance_due_clocks(moment)
        notifications.send_due_notifications(moment)
    tasks.generate_due_reports(now)
    _record_decisions(now)


def _record_decisions(now: datetime) -> None:
    """What people did about it: a notice, a dispute, a proposal that waits."""
    people = {user.name: user for user in get_user_model().objects.all()}
    scan = Integration.objects.get(name="Umbra scan")
    reason = "Two promises were broken within two weeks, and one of the issues is still open."
    perform_transition(scan, "issue_notice", actor=people["Rita Reyes"], note=reason, now=now - timedelta(hours=2))
    breached_issue = SupportIssue.objects.select_related("watch", "integration__partner").get(
        title__startswith="Apply deletes rules"
    )
    reason = "We answered the reporter by phone within the hour; she opened the issue only for the record."
    disputes.dispute_breach(breached_issue, reason, actor=people["Charlie Cole"], now=now - timedelta(hours=1))
    lowered_issue = SupportIssue.objects.select_related("watch", "integration__partner").get(
        title__startswith="Graphs of the"
    )
    reason = "No task is touched: only a graph is empty, and the figures can be read with the command line."
    disputes.request_lower_severity(lowered_issue, reason, actor=people["Alice Archer"], now=now - timedelta(hours=9))
    disputes.lower_severity(
        lowered_issue, "Agreed: nothing stops working.", actor=people["Rita Reyes"], now=now - timedelta(hours=7)
    )
    driver = Integration.objects.get(name="Booster driver")
    maps = replace(
        label_proposals.build_label_map(None), critical=("crash", "critical", "outage"), bots={801: "rocket-release"}
    )
    label_proposals.propose_label_map(driver, maps, actor=people["Alice Archer"], now=now - timedelta(hours=3))


def update_stories(now: datetime) -> int:
    """What has happened in the made-up repositories since. Returns how many there are."""
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
    """What GitHub knew at that moment is known here, one repository excepted."""
    for watch in MonitoredRepository.objects.filter(began_at__lt=moment, ended_at=None).select_related("integration"):
        known_at = moment
        if moment == today and watch.integration.name == UNREADABLE_INTEGRATION:
            known_at = moment - timedelta(days=4)
            trouble = "GitHub refuses to answer: the repository's owner has to let the portal in again."
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
        opened_at = today - timedelta(days=story.days) + cycle * CYCLE
        story_updates = list(_build_updates(watch, story, place + 1, opened_at, known_at))
        issue_updates += [update for update in story_updates if isinstance(update, IssueUpdate)]
        event_batches += [update for update in story_updates if isinstance(update, IssueEventBatch)]
    event_store.store_updates(watch, issue_updates, "poll", now, event_batches)
    projection.rebuild_projections(SupportIssue.objects.filter(watch=watch).values_list("pk", flat=True), now)


def _iterate_cycles(
    own_stories: list[IssueStory], today: datetime, known_at: datetime
) -> Iterator[tuple[IssueStory, int]]:
    """The stories as often as they have begun, always in the same order, which gives the issues their numbers."""
    for cycle in range(max(0, (known_at - today) // CYCLE + 1) + 1):
        yield from ((story, cycle) for story in own_stories)


def _build_updates(
    watch: MonitoredRepository, story: IssueStory, number: int, opened_at: datetime, known_at: datetime
) -> Iterator[IssueUpdate | IssueEventBatch | None]:
    """The story as GitHub's lists tell it, up to what is known."""
    if opened_at > known_at:
        return
    raw = _build_issue(watch, story, number, opened_at)
    yield event_mapping.map_issue(raw)
    acts = [(0.2, PARTNER, "label", story.label)] if story.label else []
    closes = any(what == "close" and who == PARTNER for _, who, what, _ in story.acts)
    end = (
        ()
        if closes
        else ((SETTLED_AFTER_HOURS, PARTNER, "say", ANSWER_MESSAGE), (SETTLED_AFTER_HOURS + 1, PARTNER, "close", ""))
    )
    visible_acts = () if story.late and known_at < opened_at + LATE_DELAY else (*story.acts, *end)
    for place, (hours, who, what, words) in enumerate([*acts, *visible_acts]):
        at = opened_at + timedelta(hours=hours)
        if at <= known_at:
            yield _build_event(raw, number * 100 + place, at, who, what, words)


def _build_issue(watch: MonitoredRepository, story: IssueStory, number: int, opened_at: datetime) -> dict[str, Any]:
    address = f"https://github.com/{watch.repository}/issues/{number}"
    return {
        "id": watch.pk * 1000 + number, "number": number, "title": story.title, "body": "It worked last week.",
        "user": GITHUB_USERS[USER], "author_association": "NONE", "html_url": address,
        "created_at": opened_at.isoformat(), "updated_at": opened_at.isoformat(),
    }  # fmt: skip


def _build_event(
    issue: dict[str, Any], id: int, at: datetime, who: str, what: str, words: str
) -> IssueUpdate | IssueEventBatch | None:
    if what == "say":
        member = "MEMBER" if who == PARTNER else "NONE"
        moment = at.isoformat()
        raw = {"id": issue["id"] * 100 + id, "body": words, "user": GITHUB_USERS[who], "author_association": member}
        return IssueEventBatch(
            issue["number"], event_mapping.map_comment(raw | {"created_at": moment, "updated_at": moment})
        )
    raw = {
        "id": issue["id"] * 100 + id,
        "event": GITHUB_EVENTS[what],
        "actor": GITHUB_USERS[who],
        "created_at": at.isoformat(),
    }
    return event_mapping.map_event(raw | {"issue": issue, "label": {"name": words}, "state_reason": "completed"})
