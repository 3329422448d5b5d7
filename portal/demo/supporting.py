"""How do the demo world's issues come in? As GitHub lists them, through the real intake, week by week up to today."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from portal import alerts
from portal.demo.issues import BOT, PARTNER, PASSER_BY, STORIES, USER, Story
from portal.reports import sending
from verification.models import Issue, Watch
from verification.support import refold, storing, sweep, telling
from verification.support.storing import Said
from verification.support.telling import Told

BLIND = "Nordlicht"  # its repository could not be read for some days
PEOPLE: dict[str, dict[str, Any]] = {
    USER: {"id": 501, "login": "uma-uses-it", "type": "User"},
    PARTNER: {"id": 601, "login": "dana-builds-it", "type": "User"},
    BOT: {"id": 801, "login": "stale[bot]", "type": "Bot"},
    PASSER_BY: {"id": 701, "login": "pete-passes-by", "type": "User"},
}
CHANGES = {"close": "closed", "reopen": "reopened", "label": "labeled", "unlabel": "unlabeled"}


def support(now: datetime) -> None:
    """Tell every story up to now, find what is late on the way, and report the last week."""
    Watch.objects.update(poll_at=None)  # made-up repositories: nobody asks GitHub for them
    for days in (*range(56, 0, -7), 0):
        moment = now - timedelta(days=days)
        _advance(now, moment)
        sweep.sweep_due(moment)
        alerts.tell_due(moment)
    sending.send_due(now)


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
    watch = storing.hold(pk)
    assert watch
    told, said = [], []
    for number, story in enumerate(s for s in STORIES if s.integration == watch.integration.name):
        found = list(_told(watch, story, number + 1, today - timedelta(days=story.days), known))
        told += [each for each in found if isinstance(each, Told)]
        said += [each for each in found if isinstance(each, Said)]
    storing.store(watch, told, "poll", now, said)
    refold.refold(Issue.objects.filter(watch=watch).values_list("pk", flat=True), now)


def _told(watch: Watch, story: Story, number: int, opened: datetime, known: datetime) -> Iterator[Told | Said | None]:
    """The story as GitHub's lists tell it, up to what is known."""
    if opened > known:
        return
    raw = _issue(watch, story, number, opened)
    yield telling.from_issue(raw)
    acts = [(0.2, PARTNER, "label", story.label)] if story.label else []
    for place, (hours, who, what, words) in enumerate([*acts, *story.acts]):
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
        return Said(issue["number"], telling.comment_facts(raw | {"created_at": moment, "updated_at": moment}))
    raw = {"id": issue["id"] * 100 + id, "event": CHANGES[what], "actor": PEOPLE[who], "created_at": at.isoformat()}
    return telling.from_event(raw | {"issue": issue, "label": {"name": words}, "state_reason": "completed"})
