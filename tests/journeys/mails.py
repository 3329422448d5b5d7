"""What do the mails say that are no notices of an integration? Of companies, accounts, tokens, reports: one of each."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from integrations.submissions import notices
from integrations.submissions.models import Integration
from portal.audit.services import record
from portal.core.iso_weeks import last_complete, zone
from portal.notifications import digests
from portal.notifications import email as mail
from portal.notifications.models import Email
from portal.reports.metrics import build
from portal.reports.presenters import shown
from portal.reports.scopes import partner_key, reported
from tests.integrations.sla.clocks import clock_of, issue_of, watch_over
from tests.portal.notifications.test_email_templates import NEWS

LINK = "https://portal.example/accounts/" + "abcdefghijklmnop" * 6 + "/"
ACCOUNT = {
    "address": "alice.archer.of.the.integrations.team@acme.example", "change": "Your password was changed",
    "activate_url": LINK, "signup_url": LINK, "password_reset_url": LINK,
}  # fmt: skip
OF_ACCOUNTS = ("confirm_address", "unknown_account", "account_exists", "account_changed", "reset_password")
HOUR = timedelta(hours=1)


def others(row: Integration, reader: Any, by: Any, now: datetime) -> dict[str, mail.Rendered]:
    """Every mail beside the notices, by the name of its template."""
    due = {"action": "Review round 1", "due": (now - 30 * HOUR).isoformat()}
    event = record(row, "turn_overdue", by=None, now=now, internal=True, **NEWS, **due)
    record(row, "said_to_partner", by=by, now=now, note="Two things are left.")
    of_event = notices.context_of(event) | {"for_program": True}
    told = dict.fromkeys(OF_ACCOUNTS, ACCOUNT) | _of_company(row, by, now) | _of_keys(row, by, now)
    told |= {
        "escalated": of_event,
        "undelivered": of_event | {"data": {"subject": "Past due: acme/rocket#7", "whom": "Acme", "why": "refused"}},
        "report": _report(row, now),
        "digest": digests.told(reader, list(Email.objects.filter(person=reader))) | {"stop": LINK},
        "github_credential_dead": {"name": "The app’s key", "why": "GitHub answered 401 three times"},
    }
    return {name: mail.render(name, {"person": reader} | context) for name, context in told.items()}


def _of_company(row: Integration, by: Any, now: datetime) -> dict[str, dict[str, Any]]:
    said = {
        "event": SimpleNamespace(actor=str(by), at=now), "partner": row.partner, "role": "editor", "note": "We met.",
        "data": {"left": False, "name": "Bob Baker"}, "for_program": False,
    }  # fmt: skip
    names = ("join_requested", "join_accepted", "join_declined", "role_changed", "calendar_changed", "membership_ended")
    asked = SimpleNamespace(role="editor", email="dora@acme.example", get_role_display="Editor")
    invited = {"invitation": asked, "partner": row.partner, "by": by, "url": LINK, "days": 7}
    return dict.fromkeys(names, said) | {"invitation": invited}


def _of_keys(row: Integration, by: Any, now: datetime) -> dict[str, dict[str, Any]]:
    token = SimpleNamespace(
        name="Continuous integration of the rocket", prefix="pp_4f3c", scopes=["integrations:read", "reports:write"],
        expires_at=now + 300 * HOUR, last_used_at=now, made_by=by,
    )  # fmt: skip
    endpoint = SimpleNamespace(partner=row.partner, name="Chat", shown="https://hooks.acme.example/partners/…")
    of_token = {"token": token, "partner": row.partner}
    return {
        "token_made": of_token,
        "token_ends": of_token,
        "webhook_paused": {"endpoint": endpoint, "why_paused": "It did not answer for five days.", "page": LINK},
    }


def _report(row: Integration, now: datetime) -> dict[str, Any]:
    """A week of which something was late and something is to come."""
    watch = watch_over(row, now - 600 * HOUR)
    clock_of(issue_of(watch, 1, now - 90 * HOUR), now - 42 * HOUR, state="overdue", next_at=None)
    clock_of(issue_of(watch, 2, now - 10 * HOUR), now + 20 * HOUR)
    found = reported(partner_key(row.partner))
    assert found
    figures = build(found, last_complete(now, zone()), zone(), now)
    figures["retracted"] = [{"name": "acme/rocket#3", "integration": row.name, "why": "Late data: it was answered."}]
    return {"report": shown(figures), "page": LINK, "unsubscribe": LINK}
