"""Answers and check results of requirements."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions as rules
from integrations.partners.models import Partner
from integrations.partners.permissions import PermissionRule
from integrations.programs.requirements import AnswerScope, FulfillingParty, Requirement
from integrations.submissions.models import Integration, IntegrationDraft, RequirementFulfillment
from integrations.submissions.selectors import context
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import integration_changes, lock_integration, refresh_next_action
from integrations.submissions.workflow.states import FINAL_STAGES, ResponsibleParty, Status
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject

CHECKED_STATUSES = frozenset({Status.PASS, Status.WARN, Status.FAIL, Status.NOT_RUN})
ANSWER_RULES: dict[FulfillingParty, PermissionRule] = {
    FulfillingParty.PARTNER: rules.can_edit,
    FulfillingParty.PROGRAM: rules.can_decide,
    FulfillingParty.BOTH: rules.can_take_part,
    FulfillingParty.MACHINE: rules.is_never_allowed,
}

OTHER_PARTY = {ResponsibleParty.PARTNER: ResponsibleParty.PROGRAM, ResponsibleParty.PROGRAM: ResponsibleParty.PARTNER}


def get_requirement(integration: Integration, requirement_id: str) -> Requirement:
    """Return a requirement of the path or of a tier. Raises ActionRefused for an unknown ID."""
    requirement = integration.edition.requirement(requirement_id)
    if requirement is None:
        raise ActionRefused(_("Requirement not found in this edition."), "invalid-transition")
    return requirement


def get_or_create_state(integration: Integration, requirement_id: str) -> RequirementFulfillment:
    """Return the requirement's row. Call with the integration locked."""
    state, _ = RequirementFulfillment.objects.get_or_create(integration=integration, requirement_id=requirement_id)
    return state


def require_open(integration: Integration) -> None:
    if integration.stage in FINAL_STAGES:
        raise ActionRefused(
            _("This integration is %(stage)s. You can't submit anything.") % {"stage": integration.stage},
            "invalid-transition",
        )


def get_acting_party(integration: Integration, user: AnyUser | None) -> ResponsibleParty:
    """Return the side for which a user acts on a two-sided requirement."""
    return (
        ResponsibleParty.PROGRAM
        if user is not None and rules.can_decide(integration, user)
        else ResponsibleParty.PARTNER
    )


@contextmanager
def submission_changes(
    integration: Integration, requirement_id: str, *, actor: AnyUser | None
) -> Iterator[tuple[Integration, Requirement]]:
    """Lock the integration and its requirement for a write that ends with submit_answer().

    Raises ActionRefused if the actor has no part in the requirement or the integration has ended.
    """
    with transaction.atomic():
        requirement = get_requirement(integration, requirement_id)
        _lock_partner(integration, requirement)
        locked_integration = lock_integration(integration.pk)
        rule = ANSWER_RULES[requirement.responsible_party]
        if actor is not None and not rule(locked_integration, actor):
            raise ActionRefused(rules.get_refusal(rule.__name__), "forbidden")
        require_open(locked_integration)
        yield locked_integration, requirement


def _lock_partner(integration: Integration, requirement: Requirement) -> None:
    """Lock the partner for shared answers, because concurrent writes would deadlock."""
    if requirement.scope == AnswerScope.PARTNER:
        Partner.objects.select_for_update(no_key=True).get(pk=integration.partner_id)


@transaction.atomic
def submit_answer(
    integration: Integration,
    requirement_id: str,
    data: JsonObject,
    *,
    actor: AnyUser | None,
    now: datetime,
    status: Status = Status.SUBMITTED,
    summary: str = "",
    event_type: str = "requirement.answered",
    rule: PermissionRule = rules.can_edit,
    version: int | None = None,
    note: str = "",
    extra_data: JsonObject | None = None,
) -> RequirementFulfillment:
    """Answer a requirement with form fields, an attestation, or the status of a two-sided one.

    `note` and `extra_data` are part of the event. A shared answer is written to all open integrations in the program.
    Raises ActionRefused, with kind "conflict" if `version` is older than the answer.
    """
    _lock_partner(integration, get_requirement(integration, requirement_id))
    with integration_changes(integration, rule, actor=actor, now=now) as locked_integration:
        require_open(locked_integration)
        requirement = get_requirement(locked_integration, requirement_id)
        state = get_or_create_state(locked_integration, requirement_id)
        _require_version(state, version)
        _save_answer(state, data, status, summary, actor, now)
        IntegrationDraft.objects.filter(
            integration=locked_integration, requirement_id=requirement_id, sent_at=None
        ).update(sent_at=now)
        event_data = {
            "requirement": requirement_id,
            "title": requirement.title,
            "status": str(status),
            **(extra_data or {}),
        }
        record_event(locked_integration, event_type, actor=actor, now=now, note=note, **event_data)
        if requirement.scope == AnswerScope.PARTNER:
            _share_answer(locked_integration, requirement, state, actor, now)
    return state


def _require_version(state: RequirementFulfillment, version: int | None) -> None:
    """Refuse an answer to an outdated version; None accepts every version."""
    if version is not None and state.version != version:
        raise ActionRefused(
            _("%(name)s changed this answer.") % {"name": state.submitted_by or _("Someone")}, "conflict"
        )


def _save_answer(
    state: RequirementFulfillment,
    data: Mapping[str, object],
    status: Status,
    summary: str,
    actor: Any,
    now: datetime,
) -> None:
    state.data, state.status, state.summary = dict(data), status, summary
    state.submitted_by, state.submitted_at = actor, now
    state.version += 1
    state.save()


def _share_answer(
    integration: Integration,
    requirement: Requirement,
    source_state: RequirementFulfillment,
    actor: AnyUser | None,
    now: datetime,
) -> None:
    """Write a shared answer to the partner's other open integrations with the same requirement."""
    others = integration.partner.integrations.open().exclude(pk=integration.pk)
    for other_integration in others:
        for other_requirement in other_integration.edition.requirements():
            is_same_requirement = (
                other_requirement.agreement == requirement.agreement
                if requirement.agreement
                else other_requirement.id == requirement.id
            )
            is_same_program = bool(requirement.agreement) or other_integration.program_key == integration.program_key
            if is_same_requirement and is_same_program and other_requirement.scope == AnswerScope.PARTNER:
                locked_integration = lock_integration(other_integration.pk)
                state = get_or_create_state(locked_integration, other_requirement.id)
                _save_answer(state, source_state.data, Status(source_state.status), source_state.summary, actor, now)
                record_event(
                    locked_integration,
                    "requirement.answered",
                    actor=actor,
                    now=now,
                    requirement=other_requirement.id,
                    title=other_requirement.title,
                    shared_from=str(integration.uuid),
                )
                refresh_next_action(locked_integration, now)
                locked_integration.save()


def mark_not_applicable(
    integration: Integration, requirement_id: str, *, actor: AnyUser, now: datetime
) -> RequirementFulfillment:
    """Mark an optional requirement as not applicable."""
    if not get_requirement(integration, requirement_id).optional:
        raise ActionRefused(_("This requirement is required."))
    return submit_answer(
        integration,
        requirement_id,
        {},
        actor=actor,
        now=now,
        status=Status.NOT_APPLICABLE,
        event_type="requirement.marked_not_applicable",
    )


def record_check_outcome(
    integration: Integration,
    requirement_id: str,
    *,
    outcome: str,
    summary: str,
    detail: list[JsonObject],
    retry_at: datetime | None,
    now: datetime,
    valid_until: datetime | None = None,
) -> None:
    """Record the result of a check. An event is recorded only if the status changes.

    An error on our side doesn't replace an earlier result; it stays until it is stale. For a listed integration, a
    failure opens a finding and a later pass verifies it.
    """
    with integration_changes(integration, rules.can_view, actor=None, now=now) as locked_integration:
        requirement = get_requirement(locked_integration, requirement_id)
        state = get_or_create_state(locked_integration, requirement_id)
        previous_status = state.status
        state.retry_at = retry_at
        if outcome != Status.ERROR or previous_status not in CHECKED_STATUSES:
            _set_check_result(state, Status(outcome), summary, detail, now, valid_until)
        state.save()
        event_type, event_data = _update_automatic_finding(locked_integration, state, summary, now)
        if previous_status != state.status or event_data:
            record_event(
                locked_integration,
                event_type,
                actor=None,
                now=now,
                note=summary,
                requirement=requirement_id,
                title=requirement.title,
                outcome=str(state.status),
                was=previous_status,
                **event_data,
            )
        else:
            locked_integration.version -= 1  # an unchanged result doesn't outdate open pages


def _set_check_result(
    state: RequirementFulfillment,
    status: Status,
    summary: str,
    detail: list[JsonObject],
    now: datetime,
    valid_until: datetime | None,
) -> None:
    state.status, state.summary, state.detail = status, summary[:500], detail
    state.submitted_at, state.valid_until = now, valid_until


def _is_required_for_listing(integration: Integration, requirement_id: str, now: datetime) -> bool:
    """Whether a requirement of the path or the tier, not a hint, is open."""
    context.clear_cache(integration)
    tier = integration.edition.tier(integration.tier)
    missing = [
        *context.list_missing_next(integration, now),
        *(context.list_missing_for_tier(integration, tier, now) if tier else ()),
    ]
    return requirement_id in {requirement.id for requirement in missing}


def _update_automatic_finding(
    integration: Integration, state: RequirementFulfillment, summary: str, now: datetime
) -> tuple[str, JsonObject]:
    """Return the event type and data after a check of a listed integration failed or passed again."""
    if (
        integration.is_listed
        and state.status == Status.FAIL
        and _is_required_for_listing(integration, state.requirement_id, now)
    ):
        finding = findings.open_automatic_finding(integration, state.requirement_id, summary, now=now)
        if finding is not None and finding.due_at is not None:
            return "check.failed", {
                "finding": finding.number,
                "due": finding.due_at.isoformat(),
                "due_day": f"{finding.due_at:%a}, {finding.due_at:%b} {finding.due_at.day}",
            }
    if state.status in (Status.PASS, Status.WARN):
        finding = findings.resolve_automatic_finding(integration, state.requirement_id, now=now)
        if finding is not None:
            return "check.passed", {"finding": finding.number}
    return "requirement.checked", {}
