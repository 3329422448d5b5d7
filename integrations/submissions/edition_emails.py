"""What the email about a changed edition says about requirements that are new for an integration."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.programs.comparison import EditionComparison
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from integrations.submissions.presenters import describe_deadline, describe_position
from integrations.submissions.selectors import context
from integrations.submissions.selectors.prerequisites import is_needed
from integrations.submissions.workflow.states import ResponsibleParty, Stage
from portal.audit.models import AuditEvent

PARTNER = ResponsibleParty.PARTNER


@dataclass(slots=True)
class NewRequirements:
    """New requirements, and those with new questions, that apply to an integration.

    `due`: titles of those that the partner has to complete before the next position, which `deadline` names, or to stay
    listed if it is blank. `later`: titles with the position that needs them, `others`: titles with why the partner
    doesn't have to complete them.
    """

    deadline: str = ""
    due: list[str] = field(default_factory=list)
    later: list[tuple[str, str]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)


def list_new_requirements(event: AuditEvent) -> NewRequirements | None:
    """Return what is new with the edition that an event changed to, None for other events."""
    integration = event.integration
    if event.event_type != "integration.edition_moved" or integration is None or not integration.is_open:
        return None
    old, new = (integration.program.by_date.get(event.data[key]) for key in ("old_edition", "new_edition"))
    if old is None or new is None:
        return None
    comparison = EditionComparison(old, new)
    requirements = (*comparison.new_requirements, *comparison.extended_requirements)
    return _sort_requirements(integration, requirements, event.at)


def _sort_requirements(
    integration: Integration, requirements: tuple[Requirement, ...], now: datetime
) -> NewRequirements:
    edition = integration.edition
    next_position = integration.position + 1
    missing_ids = {item.id for item in context.list_open_next(integration, now) if item.responsible_party == PARTNER}
    is_supported = integration.stage == Stage.SUPPORT
    result = NewRequirements("" if is_supported else describe_position(edition, next_position))
    for requirement in requirements:
        if not is_needed(requirement, integration):
            continue
        if requirement.id in missing_ids:
            result.due.append(requirement.title)
        elif reason := _explain_exemption(requirement, integration, now):
            result.others.append((requirement.title, reason))
        elif edition.get_deadline(requirement) > next_position:
            result.later.append((requirement.title, describe_deadline(edition, requirement)))
        else:
            result.others.append((requirement.title, _("an alternative is complete")))
    return result


def _explain_exemption(requirement: Requirement, integration: Integration, now: datetime) -> str:
    """Return why the partner doesn't have to complete a requirement; blank if they have to."""
    state = integration.fulfillments_by_id.get(requirement.id)
    if state is not None and state.is_met(now):
        return _("already complete") if state.is_fulfilled(now) else _("waived")
    if requirement.optional:
        return _("optional")
    reasons = {
        ResponsibleParty.PROGRAM: _("completed by the program"),
        ResponsibleParty.PORTAL: _("checked by the portal"),
    }
    return reasons.get(context.get_responsible_party(requirement, integration), "")
