"""Findings, messages, and read markers of a review."""

from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.submissions.models import Finding, Integration, ReadMarker, ReviewMessage
from integrations.submissions.services.transitions import PROGRAM_CALENDAR, integration_changes
from integrations.submissions.workflow.states import ReviewState, Stage
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core import business_time
from portal.core.errors import ActionRefused

FINDING_BUSINESS_DAYS = 10  # for partners, after a check of a listed integration fails


def raise_finding(
    integration: Integration, requirement_id: str, text: str, *, actor: User | None, now: datetime
) -> Finding:
    """Add a finding to a requirement. The partner sees it after the reviewer requests changes."""
    if not text.strip():
        raise ActionRefused(_("Enter the requested change."))
    with integration_changes(integration, permissions.can_decide, actor=actor, now=now) as locked_integration:
        if locked_integration.stage != Stage.REVIEW:
            raise ActionRefused(_("You can add findings only during a review."), "invalid-transition")
        if locked_integration.edition.requirement(requirement_id) is None:
            raise ActionRefused(_("Requirement not found in this edition."), "invalid-transition")
        highest = locked_integration.findings.aggregate(top=Max("number"))["top"] or 0
        finding = locked_integration.findings.create(
            number=highest + 1,
            round=locked_integration.review_round,
            requirement_id=requirement_id,
            text=text.strip(),
            raised_by=actor,
            raised_at=now,
        )
        record_event(
            locked_integration,
            "finding.raised",
            actor=actor,
            now=now,
            note=text,
            finding=finding.number,
            requirement=requirement_id,
        )
    return finding


def open_automatic_finding(
    integration: Integration, requirement_id: str, text: str, *, now: datetime
) -> Finding | None:
    """Add a finding with a due date when a listed integration no longer fulfills a requirement.

    Return None if one is already open. Call with the integration locked.
    """
    automatic_findings = integration.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    if automatic_findings.exclude(state=Finding.State.VERIFIED).exists():
        return None
    highest = integration.findings.aggregate(top=Max("number"))["top"] or 0
    return integration.findings.create(
        number=highest + 1,
        round=integration.review_round,
        requirement_id=requirement_id,
        text=text[:4000],
        raised_at=now,
        due_at=business_time.add_business_days(now, FINDING_BUSINESS_DAYS, PROGRAM_CALENDAR),
    )


def resolve_automatic_finding(integration: Integration, requirement_id: str, *, now: datetime) -> Finding | None:
    """Verify the automatic finding after the check passes again. Return None if there was none."""
    automatic_findings = integration.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    finding = automatic_findings.exclude(state=Finding.State.VERIFIED).first()
    if finding is not None:
        finding.state, finding.verified_at = Finding.State.VERIFIED, now
        finding.answer = finding.answer or "The check passed again."
        finding.resolved_at = finding.resolved_at or now
        finding.save()
    return finding


def _require_another_state(finding: Finding, state: str) -> None:
    """Refuse to set the state a finding has, and to answer a verified one."""
    is_answered_late = finding.state == Finding.State.VERIFIED and state == Finding.State.RESOLVED
    if finding.state == state or is_answered_late:
        message = _("Finding %(number)s is already %(state)s.")
        values = {"number": finding.number, "state": finding.get_state_display().lower()}
        raise ActionRefused(message % values, "conflict")


def _update_finding(
    finding: Finding,
    state: str,
    event_type: str,
    rule: PermissionRule,
    *,
    actor: User | None,
    now: datetime,
    note: str = "",
    **fields: object,
) -> None:
    """Change the state of a finding, record it, and refresh the next action."""
    with integration_changes(finding.integration, rule, actor=actor, now=now) as locked_integration:
        locked_finding = locked_integration.findings.get(pk=finding.pk)
        _require_another_state(locked_finding, state)
        locked_finding.state = state
        for name, value in fields.items():
            setattr(locked_finding, name, value)
        locked_finding.save()
        is_visible = (
            locked_finding.round < locked_integration.review_round
            or locked_integration.review_state == ReviewState.CHANGES
        )
        record_event(
            locked_integration,
            event_type,
            actor=actor,
            now=now,
            note=note,
            internal=not is_visible,
            finding=locked_finding.number,
            requirement=locked_finding.requirement_id,
        )


def answer_finding(finding: Finding, answer: str, *, actor: User, now: datetime) -> None:
    """Save the partner's response to a finding."""
    if not answer.strip():
        raise ActionRefused(_("Enter a response."))
    fields = {"answer": answer.strip(), "resolved_by": actor, "resolved_at": now}
    _update_finding(
        finding,
        Finding.State.RESOLVED,
        "finding.resolved",
        permissions.can_edit,
        actor=actor,
        now=now,
        note=answer,
        **fields,
    )


def verify_finding(finding: Finding, *, actor: Any, now: datetime) -> None:
    """Verify a finding as the reviewer."""
    fields = {"verified_by": actor, "verified_at": now}
    _update_finding(
        finding, Finding.State.VERIFIED, "finding.verified", permissions.can_decide, actor=actor, now=now, **fields
    )


def reopen_finding(finding: Finding, *, actor: User, now: datetime, note: str = "") -> None:
    """Reopen a finding as the reviewer."""
    fields = {"verified_by": None, "verified_at": None}
    _update_finding(
        finding,
        Finding.State.OPEN,
        "finding.reopened",
        permissions.can_decide,
        actor=actor,
        now=now,
        note=note,
        **fields,
    )


def post_message(
    integration: Integration, body: str, *, actor: User | None, now: datetime, is_internal: bool = False
) -> ReviewMessage:
    """Post a message to the other side, or an internal note that the partner never sees."""
    if not body.strip():
        raise ActionRefused(_("Enter a message."))
    rule = permissions.can_write_note if is_internal else permissions.can_post_message
    with integration_changes(integration, rule, actor=actor, now=now) as locked_integration:
        message = locked_integration.messages.create(author=actor, body=body.strip(), internal=is_internal, at=now)
        is_from_program = permissions.is_program_staff(actor) and not permissions.get_role(
            locked_integration.partner, actor
        )
        event_type = (
            "message.note_added"
            if is_internal
            else "message.sent_to_partner"
            if is_from_program
            else "message.sent_to_program"
        )
        record_event(locked_integration, event_type, actor=actor, now=now, note=body)
    return message


def update_read_marker(integration: Integration, *, actor: User, now: datetime) -> int:
    """Set the read marker to the latest event. Return the previous position."""
    latest_sequence = integration.events.aggregate(top=Max("seq"))["top"] or 0
    read_marker, is_new = ReadMarker.objects.get_or_create(
        user=actor, integration=integration, defaults={"seq": latest_sequence, "at": now}
    )
    previous_sequence = 0 if is_new else read_marker.seq
    ReadMarker.objects.filter(pk=read_marker.pk).update(seq=latest_sequence, at=now)
    return previous_sequence
