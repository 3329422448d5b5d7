"""Changes of findings that the partner hasn't seen, replies, and the verification of all responses at once."""

from collections.abc import Collection
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Finding, Integration
from integrations.submissions.services.changes import IntegrationChange, change_integration
from integrations.submissions.services.findings import get_locked_finding
from integrations.submissions.services.mentions import record_with_mentions
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues


def edit_finding(finding: Finding, text: str, severity: str, *, actor: User, now: datetime) -> None:
    """Change the text and severity of a finding that the partner hasn't seen."""
    if not text.strip():
        raise ActionRefused(_("Enter the requested change."))
    with change_integration(finding.integration, permissions.can_decide, actor=actor, now=now) as change:
        row = _get_unsent_finding(change, finding)
        row.text, row.severity = text.strip(), severity
        row.save(update_fields=["text", "severity"])
        record_with_mentions(change, "finding.edited", text, author=actor, **_get_event_data(row))


def withdraw_finding(finding: Finding, *, actor: User, now: datetime) -> None:
    """Delete a finding that the partner hasn't seen. The history keeps its text."""
    with change_integration(finding.integration, permissions.can_decide, actor=actor, now=now) as change:
        row = _get_unsent_finding(change, finding)
        # The number isn't used again, which findings._create_finding reads from this event.
        change.record("finding.withdrawn", row.text, **_get_event_data(row))
        row.delete()


def _get_unsent_finding(change: IntegrationChange, finding: Finding) -> Finding:
    row = get_locked_finding(change, finding)
    if not row.is_editable:
        message = _("The partner can already see finding %(number)s. Reply to it instead.")
        raise ActionRefused(message % {"number": row.number}, "conflict")
    return row


def reply_to_finding(finding: Finding, text: str, *, actor: User, now: datetime) -> None:
    """Add a reply to the thread of a finding without changing its state."""
    if not text.strip():
        raise ActionRefused(_("Enter a reply."))
    with change_integration(finding.integration, permissions.can_post_message, actor=actor, now=now) as change:
        row = get_locked_finding(change, finding)
        if not row.is_visible_to_partner:
            message = _("The partner can't see finding %(number)s yet. Edit it instead.")
            raise ActionRefused(message % {"number": row.number}, "conflict")
        event_type = "finding.reply_sent_to_program"
        # The event type decides which side is notified.
        if permissions.can_act_for_program(change.integration, actor):
            event_type = "finding.reply_sent_to_partner"
        record_with_mentions(change, event_type, text.strip(), author=actor, **_get_event_data(row))


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
            row.state, row.verified_by, row.verified_at = Finding.State.VERIFIED, actor, now
            row.save(update_fields=["state", "verified_by", "verified_at"])
            # The history must not show the partner that a hidden finding exists.
            change.record("finding.verified", internal=not row.is_visible_to_partner, **_get_event_data(row))
    return len(resolved)


def _get_event_data(finding: Finding) -> NamedValues:
    return {"finding": finding.number, "requirement": finding.requirement_id}
