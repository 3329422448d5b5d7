"""Issues of a monitored repository, as GitHub's lists report them."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from integrations.sla import tasks
from integrations.sla.github import event_mapping, event_store
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue
from integrations.sla.services import monitoring, projection
from integrations.submissions.models import Integration
from verification.sources.github.issue_models import GitHubComment, GitHubIssue, GitHubIssueEvent

USER = {"id": 501, "login": "uma", "type": "User"}
MEMBER = {"id": 601, "login": "dana", "type": "User"}
ANSWER = "The token is refreshed too late; a fix is on its way."
QUESTION = "Which version of the provider do you use?"
Act = tuple[float, str, str]  # hours after the opening, kind (asks, answers, replies, closes), and text


def create_issue(
    integration: Integration,
    title: str,
    at: datetime,
    *acts: Act,
    labels: tuple[str, ...] = (),
    now: datetime | None = None,
) -> SupportIssue:
    """Create an issue with its history, known and with clocks advanced up to `now` (default: an hour later)."""
    now = now or at + timedelta(hours=1)
    monitored_repository = MonitoredRepository.objects.get(integration=integration)
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(
        began_at=min(monitored_repository.began_at, at), data_up_to=now, poll_at=None
    )
    number = SupportIssue.objects.filter(monitored_repository=monitored_repository).count() + 1
    raw = {
        "id": monitored_repository.pk * 1000 + number,
        "number": number,
        "title": title,
        "body": "It fails.",
        "user": USER,
        "author_association": "NONE",
        "created_at": at.isoformat(),
        "updated_at": at.isoformat(),
        "html_url": f"https://github.com/{monitored_repository.repository}/issues/{number}",
    }
    label_acts = [(0.1, "labels", label) for label in labels]
    issue_updates = [build_issue_update(raw, n, at, act) for n, act in enumerate([*label_acts, *acts])]
    with transaction.atomic():
        locked_repository = monitoring.lock_repository(monitored_repository.pk)
        assert locked_repository
        events = [
            each
            for each in (event_mapping.map_issue(GitHubIssue.model_validate(raw)), *issue_updates)
            if isinstance(each, event_mapping.IssueUpdate)
        ]
        updates = event_store.store_updates(
            locked_repository,
            events,
            "poll",
            now,
            [each for each in issue_updates if isinstance(each, IssueEventBatch)],
        )
        projection.rebuild_projections(updates, now)
    tasks.advance_due_clocks(now)
    return SupportIssue.objects.get(monitored_repository=monitored_repository, number=number)


def build_issue_update(
    raw: dict[str, Any], n: int, opening: datetime, act: Act
) -> event_mapping.IssueUpdate | IssueEventBatch | None:
    hours, what, words = act
    at = (opening + timedelta(hours=hours)).isoformat()
    id = int(raw["id"]) * 100 + n
    if what in ("asks", "answers", "replies"):
        by, association = (USER, "NONE") if what == "replies" else (MEMBER, "MEMBER")
        comment = {"id": id, "body": words, "user": by, "author_association": association}
        model = GitHubComment.model_validate(comment | {"created_at": at, "updated_at": at})
        return IssueEventBatch(int(raw["number"]), event_mapping.map_comment(model))
    event = {"labels": "labeled", "closes": "closed"}[what]
    return event_mapping.map_event(
        GitHubIssueEvent.model_validate(
            {"id": id, "event": event, "actor": MEMBER, "created_at": at, "issue": raw, "label": {"name": words}}
        )
    )
