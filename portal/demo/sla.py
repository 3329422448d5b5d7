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
from integrations.sla.github.event_mapping import Told
from integrations.sla.github.event_store import Said
from integrations.sla.models import Issue, Watch
from integrations.sla.services import disputes, label_proposals, projection
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform
from portal.demo.issues import ANSWER, BOT, PARTNER, PASSER_BY, STORIES, USER, Story
from portal.reports import tasks

CYCLE = timedelta(days=56)
LATE = timedelta(days=9)  # after the opening: then what was told late is known
ENDS = 24 * 18.0  # hours after the opening at which what nobody settled is settled
BLIND = "Nordlicht"  # its repository could not be read for some days
BLIND_FOR = timedelta(days=6)  # from the day on which the world is loaded
PEOPLE: dict[str, dict[str, Any]] = {
    USER: {"id": 501, "login": "uma-uses-it", "type": "User"},
    PARTNER: {"id": 601, "login": "dana-builds-it", "type": "User"},
    BOT: {"id": 801, "login": "stale[bot]", "type": "Bot"},
    PASSER_BY: {"id": 701, "login": "pete-passes-by", "type": "User"},
}
MADE_UP = "made_up"  # since when: nobody asks GitHub for such a repository
CHANGES = {"close": "closed", "reopen": "reopened", "label": "labeled", "unlabel": "unlabeled"}


def support(now: datetime) -> None:
    """Tell every story up to now, find what is late on the way, and report the last week."""
    Watch.objects.update(poll_at=None, cursors={MADE_UP: now.isoformat()})
    for days in (*range(56, 0, -7), 0):
        moment = now - timedelta(days=days)
        _advance(now, moment)
        sweep.sweep_due(moment)
        notifications.tell_due(moment)
    tasks.send_due(now)
    _decide(now)


def _decide(now: datetime) -> None:
    """What people did about it: a notice, a dispute, a proposal that waits."""
    people = {user.name: user for user in get_user_model().objects.all()}
    scan = Integration.objects.get(name="Umbra scan")
    why = "Two promises were broken within two weeks, and one of the issues is still open."
    perform(scan, "give_notice", by=people["Rita Reyes"], note=why, now=now - timedelta(hours=2))
    broken = Issue.objects.select_related("watch", "integration__partner").get(title__startswith="Apply deletes rules")
    why = "We answered the reporter by phone within the hour; she opened the issue only for the record."
    disputes.dispute(broken, why, by=people["Charlie Cole"], now=now - timedelta(hours=1))
    empty = Issue.objects.select_related("watch", "integration__partner").get(title__startswith="Graphs of the")
    why = "No task is touched: only a graph is empty, and the figures can be read with the command line."
    disputes.ask_to_lower(empty, why, by=people["Alice Archer"], now=now - timedelta(hours=9))
    disputes.lower(empty, "Agreed: nothing stops working.", by=people["Rita Reyes"], now=now - timedelta(hours=7))
    driver = Integration.objects.get(name="Booster driver")
    maps = replace(label_proposals.map_of(None), critical=("crash", "critical", "outage"), bots={801: "rocket-release"})
    label_proposals.propose(driver, maps, by=people["Alice Archer"], now=now - timedelta(hours=3))


def keep_up(now: datetime) -> int:
    """What has happened in the made-up repositories since. Returns how many there are."""
    mine = Watch.objects.filter(ended_at=None, cursors__has_key=MADE_UP).select_related("integration")
    for watch in mine:
        today = datetime.fromisoformat(watch.cursors[MADE_UP])
        if watch.integration.name == BLIND and now < today + BLIND_FOR:
            continue
        told = {"data_up_to": now, "last_delivery_at": now, "poll_at": None, "trouble": "", "trouble_since": None}
        Watch.objects.filter(pk=watch.pk).update(**told)
        with transaction.atomic():
            _read(watch.pk, today, now, now)
    return len(mine)


def _advance(today: datetime, moment: datetime) -> None:
    """What GitHub knew at that moment is known here, one repository excepted."""
    for watch in Watch.objects.filter(began_at__lt=moment, ended_at=None).select_related("integration"):
        known = moment
        if moment == today and watch.integration.name == BLIND:
            known = moment - timedelta(days=4)
            trouble = "GitHub refuses to answer: the repository's owner has to let the portal in again."
            Watch.objects.filter(pk=watch.pk).update(trouble=trouble, trouble_since=known)
        Watch.objects.filter(pk=watch.pk).update(data_up_to=known, last_delivery_at=known)
        with transaction.atomic():
            _read(watch.pk, today, known, moment)


def _read(pk: int, today: datetime, known: datetime, now: datetime) -> None:
    watch = event_store.hold(pk)
    assert watch
    told, said = [], []
    mine = [story for story in STORIES if story.integration == watch.integration.name]
    for place, (story, cycle) in enumerate(_cycles(mine, today, known)):
        opened = today - timedelta(days=story.days) + cycle * CYCLE
        found = list(_told(watch, story, place + 1, opened, known))
        told += [each for each in found if isinstance(each, Told)]
        said += [each for each in found if isinstance(each, Said)]
    event_store.store(watch, told, "poll", now, said)
    projection.refold(Issue.objects.filter(watch=watch).values_list("pk", flat=True), now)


def _cycles(mine: list[Story], today: datetime, known: datetime) -> Iterator[tuple[Story, int]]:
    """The stories as often as they have begun, always in the same order, which gives the issues their numbers."""
    for cycle in range(max(0, (known - today) // CYCLE + 1) + 1):
        yield from ((story, cycle) for story in mine)


def _told(watch: Watch, story: Story, number: int, opened: datetime, known: datetime) -> Iterator[Told | Said | None]:
    """The story as GitHub's lists tell it, up to what is known."""
    if opened > known:
        return
    raw = _issue(watch, story, number, opened)
    yield event_mapping.from_issue(raw)
    acts = [(0.2, PARTNER, "label", story.label)] if story.label else []
    closes = any(what == "close" and who == PARTNER for _, who, what, _ in story.acts)
    end = () if closes else ((ENDS, PARTNER, "say", ANSWER), (ENDS + 1, PARTNER, "close", ""))
    done = () if story.late and known < opened + LATE else (*story.acts, *end)
    for place, (hours, who, what, words) in enumerate([*acts, *done]):
        at = opened + timedelta(hours=hours)
        if at <= known:
            yield _act(raw, number * 100 + place, at, who, what, words)


def _issue(watch: Watch, story: Story, number: int, opened: datetime) -> dict[str, Any]:
    address = f"https://github.com/{watch.repository}/issues/{number}"
    return {
        "id": watch.pk * 1000 + number, "number": number, "title": story.title, "body": "It worked last week.",
        "user": PEOPLE[USER], "author_association": "NONE", "html_url": address,
        "created_at": opened.isoformat(), "updated_at": opened.isoformat(),
    }  # fmt: skip


def _act(issue: dict[str, Any], id: int, at: datetime, who: str, what: str, words: str) -> Told | Said | None:
    if what == "say":
        member = "MEMBER" if who == PARTNER else "NONE"
        moment = at.isoformat()
        raw = {"id": issue["id"] * 100 + id, "body": words, "user": PEOPLE[who], "author_association": member}
        return Said(issue["number"], event_mapping.comment_facts(raw | {"created_at": moment, "updated_at": moment}))
    raw = {"id": issue["id"] * 100 + id, "event": CHANGES[what], "actor": PEOPLE[who], "created_at": at.isoformat()}
    return event_mapping.from_event(raw | {"issue": issue, "label": {"name": words}, "state_reason": "completed"})
