"""Services for requesting, granting, declining, and ending waivers. The forms check that the reasons aren't blank."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from integrations.partners import permissions as rules
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import findings
from integrations.submissions.services.requirements import RequirementChange, change_requirement
from integrations.submissions.services.transitions import refresh_next_action
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject

ENDED = "requirement.waiver_ended"
WITHDRAWN = "requirement.waiver_request_withdrawn"


def waive_requirement(
    integration: Integration,
    requirement_id: str,
    *,
    reason: str,
    expires_at: datetime,
    actor: User | None,
    now: datetime,
) -> RequirementFulfillment:
    """Waive a requirement until a time, with a reason for the partner and the listing. Raises ActionRefused."""
    if expires_at <= now:
        raise ActionRefused(_("Enter a future date."), "validation-error")
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=rules.can_decide) as change:
        state = change.state
        # The status stays below the waiver, so that it counts again when the waiver ends without a write.
        state.waived_by = actor
        state.waiver_reason = reason
        state.waiver_expires_at = expires_at
        state.clear_waiver_request()
        state.save()
        # If the check still fails when the waiver ends, it opens a finding with a new due date.
        findings.close_automatic_finding(change.integration, requirement_id, now=now)
        change.record("requirement.waived", state.waiver_reason, until=expires_at.isoformat())
        change.save()
    return state


def request_waiver(
    integration: Integration, requirement_id: str, *, reason: str, actor: User | None, now: datetime
) -> None:
    """Ask the program to waive an open requirement, or to extend a waiver that ends soon. Raises ActionRefused."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=rules.can_edit) as change:
        state = change.state
        if not state.needs_waiver(now):
            raise ActionRefused(_("This requirement is complete and doesn't need a waiver."), "invalid-transition")
        if state.waiver_requested_at is not None:
            raise ActionRefused(_("You already requested a waiver. The program decides on it."), "invalid-transition")
        # The requirement stays open and so does its next action. The request is an item of its own in the queue.
        state.waiver_requested_at = now
        state.waiver_request_reason = reason
        state.save()
        change.save()  # with a new version, so that open pages show the request
        change.record("requirement.waiver_requested", reason)


def decline_waiver(
    integration: Integration, requirement_id: str, *, reason: str, actor: User | None, now: datetime
) -> None:
    """Decline the request for a waiver with a reason for the partner. Raises ActionRefused."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=rules.can_decide) as change:
        state = change.state
        if state.waiver_requested_at is None:
            raise ActionRefused(_("No waiver is requested for this requirement."), "invalid-transition")
        state.clear_waiver_request()
        state.save()
        change.save()
        change.record("requirement.waiver_declined", reason)


def end_waiver(
    integration: Integration, requirement_id: str, *, reason: str, actor: User | None, now: datetime
) -> None:
    """End a waiver early, with a reason for the partner."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=rules.can_decide) as change:
        state = change.state
        expires_at = change.state.waiver_expires_at
        if expires_at is None or not state.is_waived(now):
            raise ActionRefused(_("This requirement has no active waiver."), "invalid-transition")
        state.waiver_expires_at = now
        state.save()
        change.save()  # before the event, because its email states the next action without the waiver
        change.record(ENDED, reason, until=expires_at.isoformat())


def end_repository_waivers(integration: Integration, repository: str, now: datetime) -> None:
    """End the waivers of checked requirements and of statements about them, and withdraw the requests for others.

    They were for the former repository. The partner can request others. One email lists all of them. Call with the
    integration locked, after the results of its checks were discarded.
    """
    requirements = integration.edition.list_all_requirements()
    checked_ids = {each.id for each in requirements if each.checks}
    concerned = {each.id: each for each in requirements if each.checks or checked_ids.intersection(each.confirms)}
    is_affected = Q(waiver_expires_at__gt=now) | Q(waiver_requested_at__isnull=False)
    affected = {state.requirement_id: state for state in integration.fulfillments.filter(is_affected)}
    changes: list[tuple[str, Requirement, JsonObject]] = []
    for id in [id for id in concerned if id in affected]:
        requirement = concerned[id]
        state = affected[id]
        if state.waiver_expires_at is not None and state.is_waived(now):
            changes.append((ENDED, requirement, {"until": state.waiver_expires_at.isoformat()}))
            state.waiver_expires_at = now
        if state.waiver_requested_at is not None:
            changes.append((WITHDRAWN, requirement, {}))
            state.clear_waiver_request()
        state.save()
    if changes:
        refresh_next_action(integration, now)  # before the events, because their emails state it
        _record_repository_changes(integration, repository, changes, now)


def _record_repository_changes(
    integration: Integration, repository: str, changes: Sequence[tuple[str, Requirement, JsonObject]], now: datetime
) -> None:
    """Record the waivers that ended and the requests that were withdrawn. The email of the first event lists all."""
    note = _("It was for the former repository, %(repository)s.") % {"repository": repository}
    titles = {name: [each.title for type, each, _data in changes if type == name] for name in (ENDED, WITHDRAWN)}
    lists: JsonObject = {"repository": repository, "ended": titles[ENDED], "withdrawn": titles[WITHDRAWN]}
    for event_type, requirement, data in changes:
        change = RequirementChange(integration, None, now, requirement)
        event = change.record(event_type, note, **data, **lists)
        lists = {"included_in": lists.get("included_in", event.seq)}
