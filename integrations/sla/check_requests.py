"""After which webhooks are the checks of the integration run at once? One table; what they find, they ask themselves.

A webhook says only that something has happened: what it claims is never taken for a fact of a check.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from integrations.sla.models import MonitoredRepository
from verification.checks.services import runs

REASONS_BY_EVENT = {
    "release": "A release at GitHub",
    "create": "A new tag or branch at GitHub",
    "delete": "A tag or branch taken away at GitHub",
    "push": "New code at GitHub",
    "repository": "The repository itself was changed at GitHub",
    "public": "The repository was made public",
}
VISIBILITY_EVENTS = frozenset({"public", "repository"})  # they decide whether the issues may be read


def should_run_checks(event: str, payload: Mapping[str, Any]) -> bool:
    """Whether the checks could now say something else. Of pushes only those to tags and to the default branch."""
    if event != "push":
        return event in REASONS_BY_EVENT
    ref, repository = str(payload.get("ref", "")), payload.get("repository")
    default_branch = repository.get("default_branch", "") if isinstance(repository, Mapping) else ""
    return ref.startswith("refs/tags/") or ref == f"refs/heads/{default_branch}"


def request_checks(watch: MonitoredRepository, events: Iterable[str], now: datetime) -> None:
    """Run the checks once for all these events, in the background. Read the issues too where visibility may differ."""
    event_names = set(events)
    if event_names & VISIBILITY_EVENTS:
        MonitoredRepository.objects.filter(pk=watch.pk, ended_at=None).update(poll_at=now)
    reason = next((reason for event, reason in REASONS_BY_EVENT.items() if event in event_names), "")
    if reason:
        runs.request_background_check_run(watch.integration, now, reason)
