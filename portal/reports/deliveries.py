"""Emails of a report: their exact content, their delivery on schedule, and what staff send by hand."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext

from integrations.reviews.selectors.queue_items import ITEM_NAMES, list_decidable_items
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.reviews.selectors.queue_rows import get_url_arguments
from integrations.submissions.models import Integration
from integrations.submissions.notices import REDACTED_UNSUBSCRIBE_URL
from integrations.submissions.workflow.next_action import render_sentence
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import NamedValues
from portal.notifications import email as mail
from portal.notifications.models import EmailMessage
from portal.notifications.rendering import RenderedEmail, render
from portal.notifications.tasks import enqueue_email
from portal.reports import unsubscribe
from portal.reports.models import ReportDelivery, ReportSnapshot
from portal.reports.presenters import build_current_context
from portal.reports.recipients import Recipient, is_wanted, list_recipients
from portal.reports.schedules import lock_report, record_report_event
from portal.reports.scopes import find_report_scope

TEMPLATE = "report"
MAX_DECISIONS = 5
FILE_FORMATS, REDACTED_FILE_URL = ("csv", "pdf"), "(personal download link)"


@dataclass(frozen=True, slots=True)
class Delivery:
    """A recipient of a report with the newest email to them, or None."""

    recipient: Recipient
    email: EmailMessage | None
    is_wanted: bool

    @property
    def is_pending(self) -> bool:
        """Return whether the recipient wants the report and its email is not on its way."""
        return self.is_wanted if self.email is None else self.email.state == EmailMessage.State.HELD


def list_deliveries(snapshot: ReportSnapshot) -> list[Delivery]:
    """Return the recipients who want the report or have an email with it."""
    report_scope = find_report_scope(snapshot.scope)
    emails = EmailMessage.objects.filter(key__startswith=_build_key_prefix(snapshot)).defer("text", "html")
    newest = {email.to: email for email in emails.order_by("pk")}
    deliveries = [
        Delivery(each, newest.get(each.email), is_wanted(snapshot, each.frequency))
        for each in (list_recipients(report_scope) if report_scope else [])
    ]
    return [each for each in deliveries if each.is_wanted or each.email]


def list_decisions(scope: str, reader: User | None, now: datetime) -> list[tuple[str, str, str]]:
    """Return the name, action, and page of what waits for the reader in the scope, by due date.

    For program staff, these are the items of the review queue on which they can decide.
    """
    report_scope = find_report_scope(scope)
    if report_scope is None or reader is None:
        return []
    if report_scope.partner is None:
        items = list_decidable_items({"program": report_scope.scope.program_key}, reader, now)[:MAX_DECISIONS]
        return [_describe_item(dict(zip(ITEM_NAMES, item, strict=True))) for item in items]
    rows = Integration.objects.filter(
        report_scope.scope.build_condition(""), responsible_party=ResponsibleParty.PARTNER
    )
    waiting = rows.exclude(next_action_code="").order_by(F("action_due_at").asc(nulls_last=True), "pk")
    return [
        (row.name, row.next_action_label, build_absolute_url("submissions:detail", row.uuid))
        for row in waiting[:MAX_DECISIONS]
    ]


def _describe_item(values: NamedValues) -> tuple[str, str, str]:
    """Return the name, the first task, and the page of an item of the review queue."""
    kind = KINDS[values["kind"]]
    label = (
        kind.list_tasks(values)[0]
        if kind.list_tasks
        else render_sentence(values["next_action_code"], values["next_action_params"])
    )
    return values["name"], label, build_absolute_url(kind.url_name, *get_url_arguments(values))


def preview_report_email(snapshot: ReportSnapshot, recipient: Recipient, viewer: User, now: datetime) -> RenderedEmail:
    """Return the email that a recipient would get now. Only they see the links that work without a sign-in."""
    context = _build_context(snapshot, recipient, now)
    if recipient.person != viewer:
        context["stop"] = REDACTED_UNSUBSCRIBE_URL
    if recipient.outside:
        context |= dict.fromkeys(FILE_FORMATS, REDACTED_FILE_URL)
    return render(TEMPLATE, {"person": recipient.person, **context})


def _build_context(snapshot: ReportSnapshot, recipient: Recipient, now: datetime) -> dict[str, object]:
    outside, address = recipient.outside, (snapshot.scope, snapshot.week)
    files = {
        form: unsubscribe.build_shared_url(outside, snapshot, form)
        if outside
        else build_absolute_url(f"reports:detail_{form}", *address)
        for form in FILE_FORMATS
    }
    return files | {
        "report": build_current_context(snapshot.figures, now, is_outside=outside is not None),
        "is_outside": outside is not None,
        "page": "" if outside else build_absolute_url("reports:detail", *address),
        "decisions": list_decisions(snapshot.scope, recipient.person, now),
        "stop": unsubscribe.build_outside_url(outside)
        if outside
        else unsubscribe.build_unsubscribe_url(recipient.person, snapshot.scope),
        "category": gettext("Weekly report"),
    }


def _build_key_prefix(snapshot: ReportSnapshot) -> str:
    return f"{unsubscribe.build_email_key_prefix(snapshot.scope)}{snapshot.week}:"


def _queue(
    snapshot: ReportSnapshot,
    recipient: Recipient,
    now: datetime,
    *,
    hold_until: datetime | None = None,
    suffix: str = "",
) -> bool:
    """Queue the email to a recipient. Return whether there was none with this key."""
    context = _build_context(snapshot, recipient, now)
    key = f"{_build_key_prefix(snapshot)}{recipient.key}{suffix}"
    email = mail.queue(
        TEMPLATE,
        key,
        recipient.person or recipient.email,
        context,
        hold_until=hold_until,
        unsubscribe=str(context["stop"]),
        now=now,
    )
    return email is not None


@transaction.atomic
def deliver_report(
    snapshot: ReportSnapshot, recipient: Recipient, now: datetime, hold_until: datetime | None = None
) -> int:
    """Deliver a report to a recipient once and return the number of queued emails."""
    should_send = is_wanted(snapshot, recipient.frequency)
    _, is_new = ReportDelivery.objects.get_or_create(
        snapshot=snapshot, reader=recipient.email, defaults={"created_at": now, "sent": should_send}
    )
    return int(is_new and should_send and _queue(snapshot, recipient, now, hold_until=hold_until))


@transaction.atomic
def send_report_now(snapshot: ReportSnapshot, *, actor: User, now: datetime) -> int:
    """Send the report to everyone who wants it and has not got it. Return the number of recipients."""
    lock_report(snapshot.scope)
    pending = [each for each in list_deliveries(snapshot) if each.is_pending]
    count = sum(_send_now(snapshot, each, now) for each in pending)
    if count:
        _record(snapshot, "report.sent_now", actor, now, count=count)
    return count


def _send_now(snapshot: ReportSnapshot, delivery: Delivery, now: datetime) -> bool:
    """Release the scheduled email, or queue one to a recipient who did not want the report before."""
    if delivery.email:
        _release(delivery.email, now)
        return True
    ReportDelivery.objects.update_or_create(
        snapshot=snapshot,
        reader=delivery.recipient.email,
        defaults={"sent": True},
        create_defaults={"created_at": now, "sent": True},
    )
    return _queue(snapshot, delivery.recipient, now)


def _release(email: EmailMessage, now: datetime) -> None:
    """Send a scheduled email now. Its pending job keeps the earlier of the two times."""
    email.state, email.held_until = EmailMessage.State.QUEUED, None
    email.save(update_fields=["state", "held_until"])
    enqueue_email(email, now)


@transaction.atomic
def resend_report(snapshot: ReportSnapshot, recipient: Recipient, *, actor: User, now: datetime) -> None:
    """Send the report to one recipient once more, also if they don't subscribe to it."""
    lock_report(snapshot.scope)
    prefix = f"{_build_key_prefix(snapshot)}{recipient.key}"
    count = EmailMessage.objects.filter(key__startswith=f"{prefix}:").count()
    _queue(snapshot, recipient, now, suffix=f":{count + 1}")
    _record(snapshot, "report.resent", actor, now, recipient=recipient.email)


def _record(snapshot: ReportSnapshot, event_type: str, actor: User, now: datetime, **data: str | int) -> None:
    record_report_event(snapshot.scope, event_type, actor=actor, now=now, week=snapshot.week, **data)
