"""Renders one of each email that is not a notice: about companies, accounts, tokens, and reports."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from integrations.escalations import tasks
from integrations.submissions import digests, notices
from integrations.submissions.models import Integration
from portal.audit.services import record_event
from portal.core.periods import PeriodKind, get_last_complete_period, get_program_zone
from portal.notifications import rendering
from portal.notifications.models import EmailMessage
from portal.reports.metrics import build_figures
from portal.reports.presenters import build_current_context
from portal.reports.scopes import build_partner_key, find_report_scope
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.notifications.integration_events import ISSUE_DATA

LINK = "https://portal.example/accounts/" + "abcdefghijklmnop" * 6 + "/"
ACCOUNT_CONTEXT = {
    "address": "alice.archer.of.the.integrations.team@acme.example",
    "change": "Your password was changed",
    "activate_url": LINK,
    "signup_url": LINK,
    "password_reset_url": LINK,
}
ACCOUNT_TEMPLATES = (
    "confirm_address",
    "unknown_account",
    "account_exists",
    "account_changed",
    "person_changed",
    "reset_password",
)
HOUR = timedelta(hours=1)


def render_other_emails(row: Integration, reader: Any, by: Any, now: datetime) -> dict[str, rendering.RenderedEmail]:
    """Render every email except the notices, by the name of its template."""
    data: dict[str, Any] = {**ISSUE_DATA, "action": "Review round 1", "due": (now - 30 * HOUR).isoformat()}
    event = record_event(row, "program.action_overdue", actor=None, now=now, internal=True, **data)
    record_event(row, "message.sent_to_partner", actor=by, now=now, note="Two things are left.")
    event_context = notices.add_reader(notices.build_context(event), for_program=True)
    context_by_template = (
        dict.fromkeys(ACCOUNT_TEMPLATES, ACCOUNT_CONTEXT)
        | _build_company_contexts(row, by, now)
        | _build_key_contexts(row, by, now)
    )
    context_by_template |= {
        "escalated": event_context,
        "escalation_digest": tasks.build_digest_context([EmailMessage(event=event, integration=row)]),
        "email_undelivered": event_context
        | {"data": {"subject": "Past due: acme/rocket#7", "recipient": "Acme", "reason": "refused"}},
        "report": _build_report_context(row, now),
        "report_confirmation": {"name": "all programs", "by": by, "url": LINK},
        "reviews_assigned": {"actor": by, "pages": [(row, LINK)]},
        "digest": digests.build_context(reader, list(EmailMessage.objects.filter(person=reader))) | {"stop": LINK},
        "audit_log_faults": {"faults": ["integration:7 event 3: changed"], "is_tampering": True, "more_count": 2},
        "github_credential_rejected": {"credential_name": "The app’s key", "reason": "GitHub answered 401 three times"},
    }
    return {name: rendering.render(name, {"person": reader} | context) for name, context in context_by_template.items()}


def _build_company_contexts(row: Integration, by: Any, now: datetime) -> dict[str, dict[str, Any]]:
    request_context = {
        "event": SimpleNamespace(actor=str(by), at=now),
        "partner": row.partner,
        "role": "editor",
        "partner_name": row.partner.name,
        "actor": str(by),
        "note": "We met.",
        "data": {"left": False, "name": "Bob Baker"},
        "for_program": False,
    }
    names = (
        *("join_requested", "join_accepted", "join_declined"),
        *("role_changed", "owner_appointed", "calendar_changed", "membership_ended"),
    )
    invitation = SimpleNamespace(role="editor", email="dora@acme.example", get_role_display="Editor")
    invitation_context = {
        "invitation": invitation,
        "partner_name": row.partner.name,
        "by": by,
        "url": LINK,
        "expires_at": now + 168 * HOUR,
    }
    staff_invitation = invitation_context | {"roles": ["Reviewer of Nomad", "Program manager of Nomad"]}
    return dict.fromkeys(names, request_context) | {
        "invitation": invitation_context,
        "staff_invitation": staff_invitation,
    }


def _build_key_contexts(row: Integration, by: Any, now: datetime) -> dict[str, dict[str, Any]]:
    token = SimpleNamespace(
        name="Continuous integration of the rocket",
        prefix="pp_4f3c",
        scopes=["integrations:read", "reports:write"],
        expires_at=now + 300 * HOUR,
        last_used_at=now,
        created_by=by,
    )
    endpoint = SimpleNamespace(partner=row.partner, name="Chat", shown="https://hooks.acme.example/partners/…")
    token_context = {"token": token, "partner": row.partner}
    return {
        "token_created": token_context,
        "token_expiring": token_context,
        "webhook_paused": {
            "endpoint": endpoint,
            "why_paused": "The endpoint did not respond for five days.",
            "page": LINK,
        },
    }


def _build_report_context(row: Integration, now: datetime) -> dict[str, Any]:
    """Build a weekly report with an overdue issue and one that is due soon."""
    monitored_repository = create_repository_row(row, now - 600 * HOUR)
    create_clock_row(
        create_issue_row(monitored_repository, 1, now - 90 * HOUR), now - 42 * HOUR, state="overdue", next_at=None
    )
    create_clock_row(create_issue_row(monitored_repository, 2, now - 10 * HOUR), now + 20 * HOUR)
    report_scope = find_report_scope(build_partner_key(row.partner.slug))
    assert report_scope
    figures = build_figures(
        report_scope, get_last_complete_period(PeriodKind.WEEK, now, get_program_zone()), get_program_zone(), now
    )
    figures["retractions"] = [
        {"name": "acme/rocket#3", "integration": row.name, "reason": "Late data: it was answered."}
    ]
    return {"report": build_current_context(figures, now), "page": LINK, "stop": LINK}
