"""Copies of the answers that apply to all integrations of a partner."""

from datetime import datetime

from integrations.partners import permissions
from integrations.programs.requirements import AnswerScope, Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services.changes import change_integration
from integrations.submissions.services.requirements import RequirementChange
from integrations.submissions.workflow.states import Status

COPIED_FIELDS = ("data", "summary", "submitted_by", "submitted_at")


def copy_shared_answers(integration: Integration) -> None:
    """Copy the latest answers that apply to all integrations of the partner to a new integration."""
    for requirement, source in _find_shared_answers(integration):
        state = RequirementFulfillment(integration=integration, requirement_id=requirement.id)
        _copy_answer(source, state, requirement)
        state.save()


def update_shared_answers(integration: Integration, now: datetime) -> None:
    """Copy the shared answers that the partner submitted while the integration had ended.

    Agreements have rules of their own: see agreements.update_agreement_requirements().
    """
    missed = [
        (requirement, source)
        for requirement, source in _find_shared_answers(integration)
        if not requirement.agreement and _is_newer(source, integration.fulfillments_by_id.get(requirement.id))
    ]
    if not missed:
        return
    with change_integration(integration, permissions.can_view, actor=None, now=now) as locked:
        for requirement, source in missed:
            change = RequirementChange(locked.integration, None, now, requirement)
            _copy_answer(source, change.state, requirement)
            change.state.version += 1  # open pages of the former answer become outdated
            change.state.clear_fulfilled_request(now)
            change.state.save()
            change.record("requirement.answered", shared_from=str(source.integration.uuid))
        # The first reviewer hasn't seen these answers.
        locked.withdraw_first_approval()


def _find_shared_answers(integration: Integration) -> list[tuple[Requirement, RequirementFulfillment]]:
    """Return the shared requirements of an integration with the partner's latest answer, where there is one."""
    # PostgreSQL sorts NULL last, so an unanswered requirement would count as the latest answer.
    submitted = RequirementFulfillment.objects.filter(integration__partner=integration.partner).exclude(
        submitted_at=None
    )
    sources: dict[str | tuple[str, str], RequirementFulfillment] = {}
    for state in submitted.select_related("integration").order_by("submitted_at"):
        # In an older edition, the same requirement can belong to each integration alone.
        if state.requirement is not None and state.requirement.scope != AnswerScope.PARTNER:
            continue
        agreement = state.requirement.agreement if state.requirement else ""
        # All programs share the agreements. Other shared answers belong to one program.
        sources[agreement or (state.integration.program_key, state.requirement_id)] = state
    return [
        (requirement, source)
        for requirement in integration.edition.list_requirements()
        if requirement.scope == AnswerScope.PARTNER
        and (source := sources.get(requirement.agreement or (integration.program_key, requirement.id))) is not None
    ]


def _is_newer(source: RequirementFulfillment, state: RequirementFulfillment | None) -> bool:
    """Return whether an answer was submitted after that of the integration."""
    if state is None or state.submitted_at is None:
        return True
    return source.submitted_at is not None and source.submitted_at > state.submitted_at


def _copy_answer(source: RequirementFulfillment, target: RequirementFulfillment, requirement: Requirement) -> None:
    for name in COPIED_FIELDS:
        setattr(target, name, getattr(source, name))
    # Terraform Integration Program, "Release": the two-line summary of a partner with several run tasks should cover
    # all of them, so it must be updated for each new integration.
    is_combined = any(field.max_lines for field in requirement.fields)
    target.status = Status.OPEN if is_combined else source.status
