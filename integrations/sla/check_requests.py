"""Check runs triggered by GitHub webhooks.

A webhook only triggers checks. The checks fetch their data from GitHub and never trust the webhook's content.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from integrations.sla.models import MonitoredRepository
from verification.checks.services import runs

REASONS_BY_EVENT = {
    "release": "Release on GitHub",
    "create": "New tag or branch on GitHub",
    "delete": "Tag or branch deleted on GitHub",
    "push": "New commits on GitHub",
    "repository": "Repository changed on GitHub",
    "public": "Repository made public",
}
VISIBILITY_EVENTS = frozenset({"public", "repository"})  # can change whether we can read the issues


def should_run_checks(event: str, payload: Mapping[str, object]) -> bool:
    """Return whether the event can change check results. Of pushes, only tags and the default branch count."""
    if event != "push":
        return event in REASONS_BY_EVENT
    ref, repository = str(payload.get("ref", "")), payload.get("repository")
    default_branch = repository.get("default_branch", "") if isinstance(repository, Mapping) else ""
    return ref.startswith("refs/tags/") or ref == f"refs/heads/{default_branch}"


def request_checks(monitored_repository: MonitoredRepository, events: Iterable[str], now: datetime) -> None:
    """Request one background check run for all events. Poll the issues too if the visibility may have changed."""
    event_names = set(events)
    if event_names & VISIBILITY_EVENTS:
        MonitoredRepository.objects.filter(pk=monitored_repository.pk, ended_at=None).update(poll_at=now)
    reason = next((reason for event, reason in REASONS_BY_EVENT.items() if event in event_names), "")
    if reason:
        runs.request_background_check_run(monitored_repository.integration, now, reason)
