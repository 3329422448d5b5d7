"""Changes of the schedule and of the recipients without an account, which the audit log records."""

from datetime import datetime, time

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from portal.accounts.models import User
from portal.audit.services import record_system_event
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues
from portal.notifications import email as mail
from portal.notifications.models import EmailMessage
from portal.reports import unsubscribe
from portal.reports.models import ExternalRecipient, Frequency
from portal.reports.recipients import load_schedules, lock_report
from portal.reports.scopes import ReportScope, get_display_name
from portal.ui.components.moments import format_time


def record_report_event(scope: str, event_type: str, *, actor: User | None, now: datetime, **data: str | int) -> None:
    """Record an event of a report, which the caller has locked."""
    record_system_event(f"report:{scope}", event_type, actor=actor, now=now, **data)


@transaction.atomic
def change_schedule(scope: str, changes: NamedValues, *, actor: User, now: datetime) -> None:
    """Change when or to which roles a report is sent."""
    if not changes:
        return
    lock_report(scope)
    schedule = load_schedules([scope])[scope]
    for name, value in changes.items():
        setattr(schedule, name, value)
    schedule.save()
    with translation.override(settings.LANGUAGE_CODE):  # all readers of the log see the same text
        when = f"{schedule.get_weekday_display()} {format_time(time(schedule.hour))} {schedule.zone}"
    record_report_event(
        scope, "report.schedule_changed", actor=actor, now=now, when=when, roles=", ".join(schedule.roles)
    )


@transaction.atomic
def add_external_recipient(
    report_scope: ReportScope, address: str, frequency: Frequency = Frequency.WEEKLY, *, actor: User, now: datetime
) -> ExternalRecipient:
    """Add a recipient without an account and ask them to confirm. Raises ActionRefused if they are a recipient."""
    lock_report(report_scope.key)
    recipient = ExternalRecipient(
        scope=report_scope.key, email=address, frequency=frequency, added_by=actor, added_at=now
    )
    try:
        with transaction.atomic():
            recipient.save()
    except IntegrityError as error:  # a second request, which passed the form before the first one ended
        raise ActionRefused(_("This address is already a recipient."), "conflict") from error
    with translation.override(settings.LANGUAGE_CODE):  # emails don't use the actor's language
        name = get_display_name(report_scope.key, report_scope.name)
    context = {
        "name": name,
        "by": actor,
        "frequency": frequency.label,
        "url": unsubscribe.build_external_url(recipient, "reports:confirm_external"),
    }
    mail.queue("report_confirmation", f"report-confirmation:{recipient.pk}", address, context, now=now)
    record_report_event(report_scope.key, "report.recipient_added", actor=actor, now=now, email=address)
    return recipient


@transaction.atomic
def confirm_external_recipient(recipient: ExternalRecipient, now: datetime) -> bool:
    """Record that a recipient confirmed the address. A second confirmation changes only the frequency.

    Return False if the recipient was removed meanwhile.
    """
    lock_report(recipient.scope)
    current = ExternalRecipient.objects.filter(pk=recipient.pk, ended_at=None)
    # Recipients choose the frequency when they confirm, and can change it with the same link.
    if not current.update(frequency=recipient.frequency):
        return False
    if current.filter(confirmed_at=None).update(confirmed_at=now):
        record_report_event(recipient.scope, "report.recipient_confirmed", actor=None, now=now, email=recipient.email)
    return True


@transaction.atomic
def end_external_recipient(recipient: ExternalRecipient, *, actor: User | None, now: datetime) -> None:
    """Stop reports to a recipient, who unsubscribed if there is no actor, and cancel scheduled ones."""
    lock_report(recipient.scope)
    if not ExternalRecipient.objects.filter(pk=recipient.pk, ended_at=None).update(ended_at=now):
        return
    EmailMessage.objects.filter(
        key__startswith=unsubscribe.build_email_key_prefix(recipient.scope),
        to=recipient.email,
        person=None,
        state=EmailMessage.State.HELD,
    ).update(state=EmailMessage.State.CANCELED)
    event_type = "report.recipient_removed" if actor else "report.recipient_unsubscribed"
    record_report_event(recipient.scope, event_type, actor=actor, now=now, email=recipient.email)
