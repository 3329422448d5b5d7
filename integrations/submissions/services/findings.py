"""How does a review go on between its steps? Claims, findings, the thread and the program's notes."""

from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Finding, Integration, ReadMarker, ReviewMessage
from integrations.submissions.services.transitions import PROGRAM_CALENDAR, integration_changes
from integrations.submissions.workflow.states import ReviewState, Stage
from portal.audit.services import record_event
from portal.core import business_time
from portal.core.errors import ActionRefused

FINDING_BUSINESS_DAYS = 10  # business days that a company has once a check of a listed integration fails


def raise_finding(integration: Integration, requirement_id: str, text: str, *, actor: Any, now: datetime) -> Finding:
    """Write a finding, tied to a requirement. The partner sees it when changes are requested."""
    if not text.strip():
        raise ActionRefused(_("Say what should change."))
    with integration_changes(integration, permissions.can_decide, actor=actor, now=now) as locked_integration:
        if locked_integration.stage != Stage.REVIEW:
            raise ActionRefused(_("Findings are written in review."), "invalid-transition")
        if locked_integration.edition.requirement(requirement_id) is None:
            raise ActionRefused(_("This edition of the program has no such requirement."), "invalid-transition")
        highest = locked_integration.findings.aggregate(top=Max("number"))["top"] or 0
        finding = locked_integration.findings.create(
            number=highest + 1, round=locked_integration.review_round, requirement_id=requirement_id, text=text.strip(),
            raised_by=actor, raised_at=now,
        )  # fmt: skip
        record_event(
            locked_integration,
            "finding_raised",
            actor=actor,
            now=now,
            note=text,
            internal=True,
            finding=finding.number,
            requirement=requirement_id,
        )
    return finding


def open_automatic_finding(
    integration: Integration, requirement_id: str, text: str, *, now: datetime
) -> Finding | None:
    """What was met in a listed integration no longer is: a finding with a due date. None where there is one already.

    Call with the integration locked.
    """
    automatic_findings = integration.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    if automatic_findings.exclude(state=Finding.State.VERIFIED).exists():
        return None
    highest = integration.findings.aggregate(top=Max("number"))["top"] or 0
    return integration.findings.create(
        number=highest + 1, round=integration.review_round, requirement_id=requirement_id, text=text[:4000],
        raised_at=now, due_at=business_time.add_business_days(now, FINDING_BUSINESS_DAYS, PROGRAM_CALENDAR),
    )  # fmt: skip


def resolve_automatic_finding(integration: Integration, requirement_id: str, *, now: datetime) -> Finding | None:
    """The machine found it met again, which settles its own finding. None where there was none."""
    automatic_findings = integration.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    finding = automatic_findings.exclude(state=Finding.State.VERIFIED).first()
    if finding is not None:
        finding.state, finding.verified_at = Finding.State.VERIFIED, now
        finding.answer = finding.answer or "The portal looked again and found it in order."
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
    rule: Any,
    *,
    actor: Any,
    now: datetime,
    note: str = "",
    **fields: Any,
) -> None:
    """Move one finding on, write it down, and derive the turn again."""
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


def answer_finding(finding: Finding, answer: str, *, actor: Any, now: datetime) -> None:
    """The partner says what was changed."""
    if not answer.strip():
        raise ActionRefused(_("Say what you changed, or where it can be seen."))
    fields = {"answer": answer.strip(), "resolved_by": actor, "resolved_at": now}
    _update_finding(
        finding,
        Finding.State.RESOLVED,
        "finding_fixed",
        permissions.can_edit,
        actor=actor,
        now=now,
        note=answer,
        **fields,
    )


def verify_finding(finding: Finding, *, actor: Any, now: datetime) -> None:
    """The reviewer agrees that it is settled."""
    fields = {"verified_by": actor, "verified_at": now}
    _update_finding(
        finding, Finding.State.VERIFIED, "finding_verified", permissions.can_decide, actor=actor, now=now, **fields
    )


def reopen_finding(finding: Finding, *, actor: Any, now: datetime, note: str = "") -> None:
    """It is not settled after all."""
    fields = {"verified_by": None, "verified_at": None}
    _update_finding(
        finding,
        Finding.State.OPEN,
        "finding_reopened",
        permissions.can_decide,
        actor=actor,
        now=now,
        note=note,
        **fields,
    )


def post_message(
    integration: Integration, body: str, *, actor: Any, now: datetime, is_internal: bool = False
) -> ReviewMessage:
    """Say something in the thread, or, for the program, keep a note that the partner never sees."""
    if not body.strip():
        raise ActionRefused(_("There is nothing to say yet."))
    rule = permissions.can_write_note if is_internal else permissions.can_post_message
    with integration_changes(integration, rule, actor=actor, now=now) as locked_integration:
        message = locked_integration.messages.create(author=actor, body=body.strip(), internal=is_internal, at=now)
        is_from_program = permissions.is_program_staff(actor) and not permissions.get_role(
            locked_integration.partner, actor
        )
        event_type = "noted" if is_internal else "said_to_partner" if is_from_program else "said_to_program"
        record_event(locked_integration, event_type, actor=actor, now=now, note=body, internal=is_internal)
    return message


def update_read_marker(integration: Integration, *, actor: Any, now: datetime) -> int:
    """Remember up to which event a person has seen it. Returns the place of their look before this one."""
    latest_sequence = integration.events.aggregate(top=Max("seq"))["top"] or 0
    read_marker, is_new = ReadMarker.objects.get_or_create(
        user=actor, integration=integration, defaults={"seq": latest_sequence, "at": now}
    )
    previous_sequence = 0 if is_new else read_marker.seq
    ReadMarker.objects.filter(pk=read_marker.pk).update(seq=latest_sequence, at=now)
    return previous_sequence
