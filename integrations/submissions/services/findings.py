"""Findings, messages, and read markers of a review."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.submissions.models import Finding, Integration, ReadMarker, ReviewMessage
from integrations.submissions.selectors.people import find_mentions
from integrations.submissions.services import attestations
from integrations.submissions.services.changes import IntegrationChange, change_integration
from integrations.submissions.workflow.states import Stage
from portal.accounts.models import User
from portal.audit.event_types import EVENT_TYPES
from portal.core import business_time
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues

FINDING_BUSINESS_DAYS = 10  # for partners, after a check of a listed integration fails


def record_with_mentions(
    change: IntegrationChange, event_type: str, text: str, *, internal: bool = False, **data: object
) -> None:
    """Record an event with its text, then one for the people whom the text mentions.

    The second event notifies them. The first one names them in `mentioned`, so that it notifies only the others.
    """
    # A mention in a note must not tell the partner that the note exists.
    is_internal = internal or EVENT_TYPES[event_type].is_internal
    mentions = find_mentions(change.integration, text, author=change.actor, internal=is_internal)
    people = [user.pk for user in mentions.people]
    named: NamedValues = {"mentioned": people} if people else {}
    event = change.record(event_type, text, internal=internal, **data, **named)
    if people:
        names = ", ".join(map(str, mentions.people))
        change.record(
            "message.mentioned", "", internal=is_internal, people=people, names=names, source=event.seq, **data
        )


def raise_finding(
    integration: Integration,
    requirement_id: str,
    text: str,
    *,
    actor: User | None,
    now: datetime,
    severity: str = Finding.Severity.BLOCKING,
) -> Finding:
    """Add a finding to a requirement. The partner sees it after the reviewer requests changes."""
    finding = Finding(requirement_id=requirement_id, text=text, severity=severity)
    raise_findings(integration, [finding], actor=actor, now=now)
    return finding


def raise_findings(integration: Integration, findings: Iterable[Finding], *, actor: User | None, now: datetime) -> None:
    """Add unsaved findings with a requirement, a text, and a severity, all or none."""
    with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
        row = change.integration
        # The partner sees findings when a reviewer requests changes, which only a review offers.
        if row.stage != Stage.REVIEW:
            raise ActionRefused(_("You can add findings only during a review."), "invalid-transition")
        for finding in findings:
            if row.edition.get_requirement(finding.requirement_id) is None:
                raise ActionRefused(_("Requirement not found in this edition."), "invalid-transition")
            finding.raised_by = actor
            _save_new_finding(finding, row, now)
            record_with_mentions(change, "finding.raised", finding.text, **_get_event_data(finding))
        attestations.void_answered_findings(row, now)


def _save_new_finding(finding: Finding, integration: Integration, now: datetime) -> None:
    """Save a finding with the next number. Numbers of withdrawn findings aren't used again."""
    # The history and emails name findings by number, so a number must mean one finding forever.
    withdrawn = integration.events.filter(event_type="finding.withdrawn").values_list("data__finding", flat=True)
    highest = max([*integration.findings.values_list("number", flat=True), *withdrawn], default=0)
    finding.integration = integration
    finding.number = highest + 1
    finding.round = integration.review_round
    finding.raised_at = now
    finding.save()


def _get_event_data(finding: Finding) -> NamedValues:
    return {"finding": finding.number, "requirement": finding.requirement_id}


def open_automatic_finding(
    integration: Integration, requirement_id: str, text: str, *, now: datetime
) -> Finding | None:
    """Add a finding with a due date when a listed integration no longer fulfills a requirement.

    Return None if one is already open. Call with the integration locked.
    """
    if _get_automatic_finding(integration, requirement_id) is not None:
        return None
    # In the program's calendar, like the other deadlines that the program sets, and not in the partner's.
    due_at = business_time.add_business_days(now, FINDING_BUSINESS_DAYS, integration.edition.business_calendar)
    finding = Finding(requirement_id=requirement_id, text=text[:4000], due_at=due_at)
    _save_new_finding(finding, integration, now)
    return finding


def resolve_automatic_finding(integration: Integration, requirement_id: str, *, now: datetime) -> Finding | None:
    """Verify the automatic finding of a requirement whose check passed again. Return None if there was none."""
    finding = _get_automatic_finding(integration, requirement_id)
    if finding is not None:
        # The partner may have fixed the problem without a response.
        finding.answer = finding.answer or "The check passed again."
        finding.resolved_at = finding.resolved_at or now
        _verify_automatically(finding, now)
    return finding


def close_automatic_finding(integration: Integration, requirement_id: str, *, now: datetime) -> None:
    """Verify the automatic finding of a requirement that is waived or no longer applies, if there is one."""
    finding = _get_automatic_finding(integration, requirement_id)
    if finding is not None:
        # Without a time of resolution: the partner did nothing, so compliance must not count it as activity.
        _verify_automatically(finding, now)


def _verify_automatically(finding: Finding, now: datetime) -> None:
    finding.state = Finding.State.VERIFIED
    finding.verified_at = now
    finding.save()


def _get_automatic_finding(integration: Integration, requirement_id: str) -> Finding | None:
    """Return the open automatic finding of a requirement, or None."""
    automatic_findings = integration.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    return automatic_findings.exclude(state=Finding.State.VERIFIED).first()


def _get_locked_finding(change: IntegrationChange, finding: Finding) -> Finding:
    """Return the current row of a finding. Raises ActionRefused if it was withdrawn."""
    row = change.integration.findings.filter(pk=finding.pk).first()
    if row is None:
        raise ActionRefused(_("Finding %(number)s was withdrawn.") % {"number": finding.number}, "conflict")
    return row


def _update_finding(
    finding: Finding,
    state: str,
    event_type: str,
    rule: PermissionRule,
    fields: NamedValues,
    *,
    actor: User | None,
    now: datetime,
    note: str = "",
) -> None:
    """Change the state and other fields of a finding, and record it. A verified finding can't be answered."""
    with change_integration(finding.integration, rule, actor=actor, now=now) as change:
        row = _get_locked_finding(change, finding)
        # A late response would undo the verification.
        is_answered_late = row.state == Finding.State.VERIFIED and state == Finding.State.RESOLVED
        if row.state == state or is_answered_late:
            values = {"number": row.number, "state": row.get_state_display().lower()}
            raise ActionRefused(_("Finding %(number)s is already %(state)s.") % values, "conflict")
        if row.due_at is not None and state == Finding.State.OPEN:
            _require_no_other_automatic_finding(change.integration, row)
        for name, value in {"state": state, **fields}.items():
            setattr(row, name, value)
        row.save()
        # The history must not show the partner that a hidden finding exists.
        internal = not row.is_visible_to_partner
        record_with_mentions(change, event_type, note, internal=internal, **_get_event_data(row))
        attestations.void_answered_findings(change.integration, now)


def _require_no_other_automatic_finding(integration: Integration, finding: Finding) -> None:
    """Raise ActionRefused if the check failed again, which opened another finding."""
    other = _get_automatic_finding(integration, finding.requirement_id)
    if other is not None and other != finding:
        message = _("Finding %(number)s already covers this requirement.")
        raise ActionRefused(message % {"number": other.number}, "conflict")


def answer_finding(finding: Finding, answer: str, *, actor: User, now: datetime, url: str = "") -> None:
    """Save the partner's response to a finding, with a link to the change."""
    fields: NamedValues = {"answer": answer, "answer_url": url, "resolved_by": actor, "resolved_at": now}
    rule = permissions.can_edit
    _update_finding(
        finding, Finding.State.RESOLVED, "finding.resolved", rule, fields, actor=actor, now=now, note=answer
    )


def verify_finding(finding: Finding, *, actor: Any, now: datetime) -> None:
    """Verify a finding as the reviewer."""
    fields = {"verified_by": actor, "verified_at": now}
    rule = permissions.can_decide
    _update_finding(finding, Finding.State.VERIFIED, "finding.verified", rule, fields, actor=actor, now=now)


def reopen_finding(finding: Finding, text: str = "", *, actor: User, now: datetime) -> None:
    """Reopen a finding as the reviewer, with a reason or without one."""
    fields = {"verified_by": None, "verified_at": None}
    rule = permissions.can_decide
    _update_finding(finding, Finding.State.OPEN, "finding.reopened", rule, fields, actor=actor, now=now, note=text)


def edit_finding(finding: Finding, text: str, severity: str, *, actor: User, now: datetime) -> None:
    """Change the text and severity of a finding that the partner hasn't seen."""
    with change_integration(finding.integration, permissions.can_decide, actor=actor, now=now) as change:
        row = _get_unsent_finding(change, finding)
        row.text = text
        row.severity = severity
        row.save(update_fields=["text", "severity"])
        record_with_mentions(change, "finding.edited", text, **_get_event_data(row))


def withdraw_finding(finding: Finding, *, actor: User, now: datetime) -> None:
    """Delete a finding that the partner hasn't seen. The history keeps its text."""
    with change_integration(finding.integration, permissions.can_decide, actor=actor, now=now) as change:
        row = _get_unsent_finding(change, finding)
        # The number isn't used again, which _save_new_finding reads from this event.
        change.record("finding.withdrawn", row.text, **_get_event_data(row))
        row.delete()


def _get_unsent_finding(change: IntegrationChange, finding: Finding) -> Finding:
    row = _get_locked_finding(change, finding)
    if not row.is_editable:
        message = _("The partner can already see finding %(number)s. Reply to it instead.")
        raise ActionRefused(message % {"number": row.number}, "conflict")
    return row


def reply_to_finding(finding: Finding, text: str, *, actor: User, now: datetime) -> None:
    """Add a reply to the thread of a finding without changing its state."""
    with change_integration(finding.integration, permissions.can_post_message, actor=actor, now=now) as change:
        row = _get_locked_finding(change, finding)
        if not row.is_visible_to_partner:
            message = _("The partner can't see finding %(number)s yet. Edit it instead.")
            raise ActionRefused(message % {"number": row.number}, "conflict")
        event_type = "finding.reply_sent_to_program"
        # The event type decides which side is notified.
        if permissions.can_act_for_program(change.integration, actor):
            event_type = "finding.reply_sent_to_partner"
        record_with_mentions(change, event_type, text, **_get_event_data(row))


def verify_resolved_findings(
    integration: Integration, *, actor: User, now: datetime, pks: Collection[int] | None = None
) -> int:
    """Verify all findings with a response, or those of them that were selected. Return their number."""
    with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
        findings = change.integration.findings.filter(state=Finding.State.RESOLVED)
        resolved = list(findings if pks is None else findings.filter(pk__in=pks))
        if not resolved:
            raise ActionRefused(_("No finding has a response to verify."), "conflict")
        for row in resolved:
            row.state = Finding.State.VERIFIED
            row.verified_by = actor
            row.verified_at = now
            row.save(update_fields=["state", "verified_by", "verified_at"])
            # The history must not show the partner that a hidden finding exists.
            change.record("finding.verified", internal=not row.is_visible_to_partner, **_get_event_data(row))
    return len(resolved)


def post_message(
    integration: Integration, body: str, *, actor: User | None, now: datetime, is_internal: bool = False
) -> ReviewMessage:
    """Post a message to the other side, or an internal note that the partner never sees."""
    rule = permissions.can_write_note if is_internal else permissions.can_post_message
    with change_integration(integration, rule, actor=actor, now=now) as change:
        message = change.integration.messages.create(author=actor, body=body, internal=is_internal, at=now)
        event_type = "message.note_added" if is_internal else "message.sent_to_program"
        if not is_internal and permissions.can_act_for_program(change.integration, actor):
            event_type = "message.sent_to_partner"
        record_with_mentions(change, event_type, body)
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
