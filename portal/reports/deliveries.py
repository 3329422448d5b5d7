"""Emails of a report: their exact content, their delivery on schedule, and what staff send by hand."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext, override

from integrations.reviews.selectors.queue_items import ITEM_NAMES, list_decidable_items
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.reviews.selectors.queue_rows import build_item_url
from integrations.submissions.models import Integration
from integrations.submissions.workflow.next_action import render_action_text
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import NamedValues
from portal.jobs.definitions import JobContext, job
from portal.jobs.models import Job
from portal.jobs.services import enqueue
from portal.notifications import email as mail
from portal.notifications.models import EmailMessage
from portal.notifications.personal_links import hide_personal_links
from portal.notifications.rendering import RenderedEmail, render
from portal.notifications.tasks import enqueue_email
from portal.reports import unsubscribe
from portal.reports.models import ReportSnapshot
from portal.reports.presenters import build_current_context
from portal.reports.recipients import Recipient, is_wanted, list_recipients, lock_report
from portal.reports.schedules import record_report_event
from portal.reports.scopes import find_report_scope

TEMPLATE = "report"
MAX_DECISIONS = 5
ReportDecision = tuple[str, str, str, datetime | None]  # name, action, page, and due date
FILE_FORMATS = ("csv", "pdf")
BATCH_SIZE = 100  # emails that are in memory at a time


@dataclass(frozen=True, slots=True)
class Delivery:
    """A recipient of a report with the newest email to them, or None."""

    recipient: Recipient
    email: EmailMessage | None
    is_wanted: bool

    @property
    def is_pending(self) -> bool:
        """Return whether the recipient wants the report and its email is not on its way."""
        # A scheduled email can be sent earlier by hand.
        return self.is_wanted if self.email is None else self.email.state == EmailMessage.State.HELD


def list_deliveries(snapshot: ReportSnapshot, recipients: Iterable[Recipient] | None = None) -> list[Delivery]:
    """Return those of the recipients, by default of all, who want the report or have an email with it."""
    if recipients is None:
        recipients = _list_recipients(snapshot)
    prefix = _build_key_prefix(snapshot)
    newest: dict[str, EmailMessage] = {}
    for email in EmailMessage.objects.filter(key__startswith=prefix).defer("text", "html").order_by("pk"):
        # A person can have changed the address, and an address can have become that of a person.
        newest[email.key.removeprefix(prefix).partition(":")[0]] = newest[email.to] = email
    deliveries = [
        Delivery(each, newest.get(each.key) or newest.get(each.email), is_wanted(snapshot, each.frequency))
        for each in recipients
    ]
    return [each for each in deliveries if each.is_wanted or each.email]


def _list_recipients(snapshot: ReportSnapshot) -> list[Recipient]:
    report_scope = find_report_scope(snapshot.scope)
    return list_recipients(report_scope) if report_scope else []


def list_decisions(scope: str, reader: User | None, now: datetime) -> list[ReportDecision]:
    """Return the name, action, page, and due date of what waits for the reader in the scope, by due date.

    For program staff, these are the items of the review queue on which they can decide.
    """
    report_scope = find_report_scope(scope)
    if report_scope is None or reader is None:
        return []
    if report_scope.partner is None:
        # As in the queue, so that no one is asked for a decision that they can't make.
        items = list_decidable_items({"program": report_scope.scope.program_key}, reader, now)[:MAX_DECISIONS]
        return [_describe_item(dict(zip(ITEM_NAMES, item, strict=True))) for item in items]
    rows = Integration.objects.filter(
        report_scope.scope.build_condition(""), responsible_party=ResponsibleParty.PARTNER
    )
    waiting = rows.exclude(next_action_code="").order_by(F("action_due_at").asc(nulls_last=True), "pk")
    return [
        (row.name, row.next_action_label, build_absolute_url("submissions:detail", row.uuid), row.action_due_at)
        for row in waiting[:MAX_DECISIONS]
    ]


def _describe_item(values: NamedValues) -> ReportDecision:
    """Return the name, the first task, the page, and the due date of an item of the review queue."""
    kind = KINDS[values["kind"]]
    label = (
        # Items with tasks of their own, such as disputes, have no parameters for the text of a next action.
        kind.list_tasks(values)[0]
        if kind.list_tasks
        else render_action_text(values["next_action_code"], values["next_action_params"])
    )
    return values["name"], label, build_item_url(values), values["action_due_at"]


class ReportEmails:
    """Emails of a report. Builds what they have in common only once."""

    def __init__(self, snapshot: ReportSnapshot, now: datetime) -> None:
        self.snapshot = snapshot
        self.now = now
        self.key_prefix = _build_key_prefix(snapshot)
        self.decisions: list[ReportDecision] | None = None

    @cached_property
    def internal_report(self) -> dict[str, object]:
        return build_current_context(self.snapshot.figures, self.now)

    @cached_property
    def external_report(self) -> dict[str, object]:
        return build_current_context(self.snapshot.figures, self.now, is_external=True)

    @override(settings.LANGUAGE_CODE)  # emails don't use the sender's language
    def build_context(self, recipient: Recipient) -> dict[str, object]:
        snapshot = self.snapshot
        external = recipient.external
        if external:
            return {
                **{form: unsubscribe.build_shared_url(external, snapshot, form) for form in FILE_FORMATS},
                "report": self.external_report,
                "is_external": True,
                "stop": unsubscribe.build_external_url(external),
                "category": gettext("SLA report"),
            }
        address = (snapshot.scope, snapshot.period)
        return {
            **{form: build_absolute_url(f"reports:detail_{form}", *address) for form in FILE_FORMATS},
            "report": self.internal_report,
            "page": build_absolute_url("reports:detail", *address),
            "decisions": self._list_decisions(recipient.person),
            "stop": unsubscribe.build_unsubscribe_url(recipient.person, snapshot.scope),
            "category": gettext("SLA report"),
        }

    def _list_decisions(self, reader: User | None) -> list[ReportDecision]:
        """Return what waits for a reader, which is the same for all members of a partner."""
        if self.decisions is None or not self.snapshot.scope.startswith("partner:"):
            self.decisions = list_decisions(self.snapshot.scope, reader, self.now)
        return self.decisions

    def build_request(
        self, recipient: Recipient, hold_until: datetime | None = None, suffix: str = ""
    ) -> mail.EmailRequest:
        context = self.build_context(recipient)
        key = f"{self.key_prefix}{recipient.key}{suffix}"
        to = recipient.person or recipient.email
        return mail.EmailRequest(key, to, context, hold_until=hold_until, unsubscribe=str(context["stop"]))


def preview_report_email(snapshot: ReportSnapshot, recipient: Recipient, viewer: User, now: datetime) -> RenderedEmail:
    """Return the email that a recipient would get now. Only they see the links that work without a sign-in."""
    # Otherwise, a viewer could unsubscribe the recipient or pass on signed links to the files.
    email = render(TEMPLATE, {"person": recipient.person, **ReportEmails(snapshot, now).build_context(recipient)})
    if recipient.person == viewer:
        return email
    return replace(email, text=hide_personal_links(email.text), html=hide_personal_links(email.html))


def _build_key_prefix(snapshot: ReportSnapshot) -> str:
    return f"{unsubscribe.build_email_key_prefix(snapshot.scope)}{snapshot.period}:"


def deliver_report(
    snapshot: ReportSnapshot,
    recipients: Iterable[Recipient],
    now: datetime,
    get_hold_until: Callable[[User], datetime] | None = None,
) -> int:
    """Queue the email to each recipient who wants the report once, and return the number of queued emails.

    Each batch is a transaction, so that a report with many recipients needs little memory and locks nothing for long.
    """
    emails = ReportEmails(snapshot, now)
    keys = [each.key for each in recipients if is_wanted(snapshot, each.frequency)]
    count = 0
    for start in range(0, len(keys), BATCH_SIZE):
        with transaction.atomic():
            # Someone can send the report by hand at the same time.
            lock_report(snapshot.scope)
            # Read again, because some can have unsubscribed or lost access before the lock.
            current = {each.key: each for each in _list_recipients(snapshot) if is_wanted(snapshot, each.frequency)}
            requests = [
                emails.build_request(each, get_hold_until(each.person) if get_hold_until and each.person else None)
                for each in (current[key] for key in keys[start : start + BATCH_SIZE] if key in current)
            ]
            count += mail.queue_batch(TEMPLATE, requests, now)
    return count


@transaction.atomic
def request_sending(snapshot: ReportSnapshot, *, actor: User, now: datetime) -> int:
    """Start to send the report to everyone who still waits for it. Return the number of recipients."""
    lock_report(snapshot.scope)
    count = sum(each.is_pending for each in list_deliveries(snapshot))
    if not count or is_sending(snapshot):
        return 0
    enqueue(send_report, report_id=snapshot.pk, dedup_key=str(snapshot.pk))
    record_report_event(snapshot.scope, "report.sent_now", actor=actor, now=now, period=snapshot.period, count=count)
    return count


def is_sending(snapshot: ReportSnapshot) -> bool:
    """Return whether the job that sends the report has not ended."""
    return Job.objects.find_unfinished(send_report.kind, str(snapshot.pk)) is not None


@job("reports.send_report", queue="email")
def send_report(_context: JobContext, *, report_id: int) -> None:
    """Send the report to everyone who still waits for it."""
    snapshot = ReportSnapshot.objects.get(pk=report_id)
    now = timezone.now()
    pending = [each for each in list_deliveries(snapshot) if each.is_pending]
    _release_emails([each.email.pk for each in pending if each.email], now)
    deliver_report(snapshot, [each.recipient for each in pending if not each.email], now)


@transaction.atomic
def _release_emails(pks: Iterable[int], now: datetime) -> int:
    """Send scheduled emails now, unless they have been sent or canceled, and return their number."""
    emails = EmailMessage.objects.select_for_update().filter(pk__in=list(pks), state=EmailMessage.State.HELD)
    for email in emails:
        email.state = EmailMessage.State.QUEUED
        email.held_until = now  # when the time of its retries begins
        email.save(update_fields=["state", "held_until"])
        enqueue_email(email, now)
    return len(emails)


@transaction.atomic
def send_to_recipient(snapshot: ReportSnapshot, recipient: Recipient, *, actor: User, now: datetime) -> None:
    """Send the report to one recipient, even if they don't subscribe to it. A scheduled email is sent now instead."""
    lock_report(snapshot.scope)
    emails = ReportEmails(snapshot, now)
    key = f"{emails.key_prefix}{recipient.key}"
    existing = EmailMessage.objects.filter(Q(key=key) | Q(key__startswith=f"{key}:"))
    scheduled = existing.filter(state=EmailMessage.State.HELD).values_list("pk", flat=True)
    if not _release_emails(scheduled, now):
        # The first email takes the key of the scheduled one, so that the schedule doesn't send the report again.
        count = existing.count()
        mail.queue_batch(TEMPLATE, [emails.build_request(recipient, suffix=f":{count}" if count else "")], now)
    data = {"period": snapshot.period, "recipient": recipient.email}
    record_report_event(snapshot.scope, "report.sent_to_recipient", actor=actor, now=now, **data)
