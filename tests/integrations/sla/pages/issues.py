"""What do users of these tests open? Issues of a watched repository, told as GitHub's lists tell them."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from integrations.sla import tasks
from integrations.sla.github import event_mapping, event_store
from integrations.sla.github.event_store import Said
from integrations.sla.models import Issue, Watch
from integrations.sla.services import projection
from integrations.submissions.models import Integration

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
        held = event_store.hold(watch.pk)
        assert held
        events = [each for each in (event_mapping.from_issue(raw), *told) if isinstance(each, event_mapping.Told)]
        touched = event_store.store(held, events, "poll", now, [each for each in told if isinstance(each, Said)])
        projection.refold(touched, now)
    tasks.sweep_due(now)
    return Issue.objects.get(watch=watch, number=number)


def _told(raw: dict[str, Any], n: int, opening: datetime, act: Act) -> event_mapping.Told | Said | None:
    hours, what, words = act
    at, id = (opening + timedelta(hours=hours)).isoformat(), int(raw["id"]) * 100 + n
    if what in ("asks", "answers", "replies"):
        by, association = (USER, "NONE") if what == "replies" else (MEMBER, "MEMBER")
        comment = {"id": id, "body": words, "user": by, "author_association": association}
        return Said(int(raw["number"]), event_mapping.comment_facts(comment | {"created_at": at, "updated_at": at}))
    event = {"labels": "labeled", "closes": "closed"}[what]
    return event_mapping.from_event(
        {"id": id, "event": event, "actor": MEMBER, "created_at": at, "issue": raw, "label": {"name": words}}
    )
