"""Answers and check results of requirements."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from integrations.partners import permissions as rules
from integrations.partners.permissions import PermissionRule
from integrations.programs.requirements import AnswerScope, FulfillingParty, Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors import context
from integrations.submissions.selectors.prerequisites import explain_blocker
from integrations.submissions.services import attestations, findings
from integrations.submissions.services.changes import IntegrationChange, change_integration
from integrations.submissions.services.transitions import lock_integration, lock_partner
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.requests import AnyUser
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused, StaleVersionError
from portal.core.value_types import JsonObject

CHECKED_STATUSES = frozenset({Status.PASS, Status.WARN, Status.FAIL, Status.NOT_RUN})
ANSWER_RULES: dict[FulfillingParty, PermissionRule] = {
    FulfillingParty.PARTNER: rules.can_edit,
    FulfillingParty.PROGRAM: rules.can_decide,
    FulfillingParty.BOTH: rules.can_take_part,
    # No one's word replaces the result of a check. A reviewer can waive it instead, with a reason.
    FulfillingParty.PORTAL: rules.is_never_allowed,
}

OTHER_PARTY = {ResponsibleParty.PARTNER: ResponsibleParty.PROGRAM, ResponsibleParty.PROGRAM: ResponsibleParty.PARTNER}


def get_requirement(integration: Integration, requirement_id: str) -> Requirement:
    """Return a requirement of the path or of a tier. Raises ActionRefused for an unknown ID."""
    requirement = integration.edition.get_requirement(requirement_id)
    if requirement is None:
        raise ActionRefused(_("Requirement not found in this edition."), "invalid-transition")
    return requirement


def get_acting_party(integration: Integration, user: AnyUser | None) -> ResponsibleParty:
    """Return the side for which a user acts on a two-sided requirement."""
    can_decide = user is not None and rules.can_decide(integration, user)
    return ResponsibleParty.PROGRAM if can_decide else ResponsibleParty.PARTNER


@dataclass
class RequirementChange(IntegrationChange):
    """Change of a requirement of a locked integration."""

    requirement: Requirement

    @cached_property
    def state(self) -> RequirementFulfillment:
        """Return the requirement's row, which no one else creates while the integration is locked."""
        state, _is_new = self.integration.fulfillments.get_or_create(requirement_id=self.requirement.id)
        return state

    @property
    def acting_party(self) -> ResponsibleParty:
        return get_acting_party(self.integration, self.actor)

    def record(self, event_type: str, note: str = "", *, internal: bool = False, **data: object) -> AuditEvent:
        """Record an event about the requirement. `data` must be JSON."""
        names: JsonObject = {"requirement": self.requirement.id, "title": self.requirement.title}
        return super().record(event_type, note, internal=internal, **names, **data)

    def answer(
        self,
        event_type: str,
        data: Mapping[str, object],
        *,
        status: Status = Status.SUBMITTED,
        summary: str = "",
        note: str = "",
        **event_data: Any,
    ) -> RequirementFulfillment:
        """Save the answer, record it, and save the integration.

        A shared answer is written to all open integrations in the program.
        """
        self._save_answer(data, status, summary)
        # The draft ends with the answer, so that a colleague's open page can't overwrite it.
        self.integration.drafts.filter(requirement_id=self.requirement.id, sent_at=None).update(sent_at=self.now)
        self.record(event_type, note, status=str(status), **event_data)
        self._withdraw_outdated_approval()
        if self.requirement.scope == AnswerScope.PARTNER:
            self._share_answer(data, status, summary)
        self.save()
        return self.state

    def _save_answer(self, data: Mapping[str, object], status: Status, summary: str) -> None:
        state = self.state
        state.data = dict(data)
        state.status = status
        state.summary = summary
        state.submitted_by = self.actor  # type: ignore[assignment]
        state.submitted_at = self.now
        state.version += 1
        state.clear_fulfilled_request(self.now)
        state.save()
        context.clear_cache(self.integration)  # reactions to the answer read it

    def _share_answer(self, data: Mapping[str, object], status: Status, summary: str) -> None:
        """Write a shared answer to the partner's other open integrations with the same requirement."""
        for integration in self.integration.partner.integrations.open().exclude(pk=self.integration.pk):
            for requirement in integration.edition.list_requirements():
                if self._is_same_requirement(requirement, integration):
                    other = RequirementChange(lock_integration(integration.pk), self.actor, self.now, requirement)
                    other._save_answer(data, status, summary)
                    other.record("requirement.answered", shared_from=str(self.integration.uuid))
                    other._withdraw_outdated_approval()
                    other.save()

    def _withdraw_outdated_approval(self) -> None:
        """Withdraw the first approval after an answer of the partner, which the first reviewer hasn't seen."""
        if self.actor is not None and self.acting_party == ResponsibleParty.PARTNER:
            self.withdraw_first_approval()

    def _is_same_requirement(self, requirement: Requirement, integration: Integration) -> bool:
        if requirement.scope != AnswerScope.PARTNER:
            return False
        if self.requirement.agreement:
            # All programs share the agreements in content/agreements, so one signature counts in each of them.
            return requirement.agreement == self.requirement.agreement
        return requirement.id == self.requirement.id and integration.program_key == self.integration.program_key


def lock_requirement(integration: Integration, requirement_id: str) -> Integration:
    """Lock the integration of a requirement until the transaction ends, after the partner of a shared answer."""
    if get_requirement(integration, requirement_id).scope == AnswerScope.PARTNER:
        # Concurrent writes of shared answers would deadlock.
        lock_partner(integration.partner_id)
    return lock_integration(integration.pk)


@contextmanager
def change_requirement(
    integration: Integration,
    requirement_id: str,
    *,
    actor: AnyUser | None,
    now: datetime,
    rule: PermissionRule | None = None,
) -> Iterator[RequirementChange]:
    """Lock the integration for a change of a requirement, which is saved with an answer.

    Raises ActionRefused if the actor has no part in the requirement or the integration has ended.
    """
    with transaction.atomic():
        locked_integration = lock_requirement(integration, requirement_id)
        requirement = get_requirement(locked_integration, requirement_id)
        change = RequirementChange(locked_integration, actor, now, requirement)
        # Before the state: readers get 403, not a 409 about an integration that they can't change anyway.
        change.require_permission(rule or ANSWER_RULES[requirement.responsible_party])
        change.require_open()
        yield change


def submit_answer(
    integration: Integration,
    requirement_id: str,
    data: JsonObject,
    *,
    actor: AnyUser | None,
    now: datetime,
    status: Status = Status.SUBMITTED,
    version: int | None = None,
) -> RequirementFulfillment:
    """Answer a requirement with form fields or an attestation.

    Raises StaleVersionError if `version` is older than the answer, and ActionRefused if what an attestation is about
    must come first.
    """
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        # Under the lock, because what the statement is about may have changed since the page was shown.
        if blocker := explain_blocker(change.requirement, change.integration, now):
            raise ActionRefused(blocker, "requirements-not-met")
        state = change.state
        if version is not None and state.version != version:
            message = _("%(name)s changed this answer.")
            raise StaleVersionError(message % {"name": state.submitted_by or _("Someone")})
        return change.answer("requirement.answered", data, status=status)


def mark_not_applicable(
    integration: Integration, requirement_id: str, *, actor: AnyUser, now: datetime
) -> RequirementFulfillment:
    """Mark an optional requirement as not applicable."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=rules.can_edit) as change:
        if not change.requirement.optional:
            raise ActionRefused(_("This requirement is required."), "validation-error")
        if change.requirement.responsible_party == FulfillingParty.PORTAL:
            raise ActionRefused(_("You can't skip an automated check."), "validation-error")
        # A page that was opened earlier must not discard what a colleague has submitted since.
        if change.state.status not in (Status.OPEN, Status.NOT_APPLICABLE):
            raise ActionRefused(_("Someone answered this requirement. Reload the page."), "conflict")
        return change.answer("requirement.marked_not_applicable", {}, status=Status.NOT_APPLICABLE)


def discard_check_results(fulfillments: "QuerySet[RequirementFulfillment]") -> None:
    """Open the requirements whose check results no longer count. Their details stay, to compare the next ones with."""
    # Only results of checks have an end.
    fulfillments.filter(valid_until__isnull=False).update(status=Status.OPEN, valid_until=None, retry_at=None)


def _replace_check_result(
    state: RequirementFulfillment, status: Status, summary: str, detail: list[JsonObject], now: datetime
) -> None:
    if (status, state.status) != (Status.ERROR, Status.ERROR):  # an outage lasts since its first error
        state.submitted_at = now
    state.status = status
    state.summary = summary[:500]
    state.detail = attestations.keep_subjects(state.detail, detail)


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

    `detail` has an item for each check, whose `subjects` are the repository and the release that it inspected. If one
    changes, statements about the requirement are void.
    An error on our side doesn't replace an earlier result; it stays until it is stale. For a listed integration, a
    failure opens a finding and a later pass verifies it.
    """
    # The actor is the portal, which no rule refuses.
    with change_integration(integration, rules.can_view, actor=None, now=now) as locked:
        row = locked.integration
        if row.repository != integration.repository:
            return  # the run read the former repository, and the next one reads the new one
        change = RequirementChange(row, None, now, get_requirement(row, requirement_id))
        state = change.state
        previous_status = state.status
        previous_detail = state.detail
        state.retry_at = retry_at
        # An outage of GitHub or the registry isn't the partner's fault, so the last result counts until it is stale.
        if outcome != Status.ERROR or previous_status not in CHECKED_STATUSES:
            _replace_check_result(state, Status(outcome), summary, detail, now)
            state.valid_until = valid_until
        state.clear_fulfilled_request(now)
        state.save()
        is_voided = attestations.void_changed(row, requirement_id, previous_detail, state.detail, now)
        event_type, event_data = _update_automatic_finding(row, state, summary, now)
        if previous_status != state.status or event_data:
            change.record(event_type, summary, outcome=str(state.status), old_outcome=previous_status, **event_data)
        elif not is_voided:
            row.version -= 1  # an unchanged result doesn't outdate open pages


def _is_required_for_listing(integration: Integration, requirement_id: str, now: datetime) -> bool:
    """Return whether a requirement of the path or the tier, not a hint, is open."""
    # The cache may have the result from before this check.
    context.clear_cache(integration)
    missing = context.list_missing_next(integration, now)
    tier = integration.current_tier
    if tier is not None:
        missing += context.list_missing_for_tier(integration, tier, now)
    return requirement_id in {requirement.id for requirement in missing}


def _update_automatic_finding(
    integration: Integration, state: RequirementFulfillment, summary: str, now: datetime
) -> tuple[str, JsonObject]:
    """Return the event type and data after a check of a listed integration failed or passed again."""
    requirement_id = state.requirement_id
    is_failed = integration.is_listed and state.status == Status.FAIL
    if is_failed and _is_required_for_listing(integration, requirement_id, now):
        finding = findings.open_automatic_finding(integration, requirement_id, summary, now=now)
        if finding is not None and finding.due_at is not None:
            return "check.failed", {"finding": finding.number, "due": finding.due_at.isoformat()}
    if state.status in (Status.PASS, Status.WARN):
        finding = findings.resolve_automatic_finding(integration, requirement_id, now=now)
        if finding is not None:
            return "check.passed", {"finding": finding.number}
    return "requirement.checked", {}
