"""What do users of these tests open? Issues of a watched repository, told as GitHub's lists tell them."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from integrations.models import Integration
from verification.models import Issue, Watch
from verification.support import refold, storing, sweep, telling
from verification.support.storing import Said

USER = {"id": 501, "login": "uma", "type": "User"}
MEMBER = {"id": 601, "login": "dana", "type": "User"}
ANSWER = "The token is refreshed too late; a fix is on its way."
QUESTION = "Which version of the provider do you use?"
Act = tuple[float, str, str]  # hours after the opening, what (asks, answers, replies, closes), the words


def opened(
    integration: Integration,
    title: str,
    at: datetime,
    *acts: Act,
    labels: tuple[str, ...] = (),
    now: datetime | None = None,
) -> Issue:
    """An issue of the integration with what happened to it, known and swept up to `now` (without: an hour later)."""
    now = now or at + timedelta(hours=1)
    watch = Watch.objects.get(integration=integration)
    Watch.objects.filter(pk=watch.pk).update(began_at=min(watch.began_at, at), data_up_to=now, poll_at=None)
    number = Issue.objects.filter(watch=watch).count() + 1
    raw = {
        "id": watch.pk * 1000 + number, "number": number, "title": title, "body": "It fails.", "user": USER,
        "author_association": "NONE", "created_at": at.isoformat(), "updated_at": at.isoformat(),
        "html_url": f"https://github.com/{watch.repository}/issues/{number}",
    }  # fmt: skip
    marked = [(0.1, "labels", label) for label in labels]
    told = [_told(raw, n, at, act) for n, act in enumerate([*marked, *acts])]
    with transaction.atomic():
        held = storing.hold(watch.pk)
        assert held
        events = [each for each in (telling.from_issue(raw), *told) if isinstance(each, telling.Told)]
        touched = storing.store(held, events, "poll", now, [each for each in told if isinstance(each, Said)])
        refold.refold(touched, now)
    sweep.sweep_due(now)
    return Issue.objects.get(watch=watch, number=number)


def _told(raw: dict[str, Any], n: int, opening: datetime, act: Act) -> telling.Told | Said | None:
    hours, what, words = act
    at, id = (opening + timedelta(hours=hours)).isoformat(), int(raw["id"]) * 100 + n
    if what in ("asks", "answers", "replies"):
        by, association = (USER, "NONE") if what == "replies" else (MEMBER, "MEMBER")
        comment = {"id": id, "body": words, "user": by, "author_association": association}
        return Said(int(raw["number"]), telling.comment_facts(comment | {"created_at": at, "updated_at": at}))
    event = {"labels": "labeled", "closes": "closed"}[what]
    return telling.from_event(
        {"id": id, "event": event, "actor": MEMBER, "created_at": at, "issue": raw, "label": {"name": words}}
    )
