"""Outages: checks without a result because a service can't be reached. No one has to act."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from integrations.submissions.selectors.context import is_applicable
from integrations.submissions.workflow.states import Status


@dataclass(frozen=True, slots=True)
class Outage:
    """Unreachable services, the titles of requirements that wait for them, and the time of the next attempt."""

    services: tuple[str, ...]
    started_at: datetime | None
    titles: tuple[str, ...]
    retry_at: datetime | None


def find_outage(integration: Integration, now: datetime) -> Outage | None:
    """Return the outage that requirements of the integration wait for, or None."""
    requirements = [r for r in integration.edition.list_requirements() if is_applicable(r, integration)]
    states = integration.fulfillments_by_id
    waiting = [(r, states[r.id]) for r in requirements if r.id in states and states[r.id].status == Status.ERROR]
    # A waiver counts without a result, so nothing waits for the service.
    waiting = [(r, state) for r, state in waiting if not state.is_met(now)]
    if not waiting or not integration.is_open:
        return None
    services = dict.fromkeys(
        str(item.get("unreachable") or _("our check service"))
        for _requirement, state in waiting
        for item in state.detail
        if item["outcome"] == Status.ERROR
    )
    return Outage(
        services=tuple(services),
        # An error keeps the time of the first one of its outage, see record_check_outcome.
        started_at=min((state.submitted_at for _r, state in waiting if state.submitted_at), default=None),
        titles=tuple(requirement.title for requirement, _state in waiting),
        retry_at=min((state.retry_at for _r, state in waiting if state.retry_at), default=None),
    )
