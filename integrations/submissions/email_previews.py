"""Previews of emails about integrations: exact ones, from an event that is recorded and rolled back."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from integrations.partners.notices import is_program_recipient
from integrations.submissions.notices import add_reader, build_context
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.requests import AnyUser
from portal.audit.models import AuditEvent
from portal.notifications import email
from portal.notifications.personal_links import hide_personal_links
from portal.notifications.rendering import EmailDraft, render, render_draft


@dataclass(frozen=True, slots=True)
class EmailPreview:
    """Exact emails of an event. `draft` is the template's text for the partner, if people can edit it.

    For partners, one email to the role replaces the emails to program staff.
    """

    emails: list[email.EmailMessage]
    draft: EmailDraft | None


def preview_emails(record_event: Callable[[], AuditEvent], reader: AnyUser) -> EmailPreview:
    """Return the exact emails of an event by recording it and rolling it back. Raises ActionRefused."""
    # The decision itself, rolled back: a preview that is built in another way could differ from the email.
    with transaction.atomic():
        event = record_event()
        emails = list(event.emails.select_related("person").order_by("pk"))
        draft = _render_draft(event, emails)
        if not is_program_recipient(reader, event):
            emails = _hide_program_recipients(event, emails)
        transaction.set_rollback(True)
    for message in emails:
        # With these links, the reader of a preview could unsubscribe the recipients or open their downloads.
        message.text = hide_personal_links(message.text)
        message.html = hide_personal_links(message.html)
    return EmailPreview(emails, draft)


def _hide_program_recipients(event: AuditEvent, emails: list[email.EmailMessage]) -> list[email.EmailMessage]:
    """Replace the emails to the program by one without names, addresses, and instructions for staff."""
    partner_emails = [each for each in emails if not is_program_recipient(each.person or each.to, event)]
    program_email = next((each for each in emails if each not in partner_emails), None)
    if program_email is None:
        return partner_emails
    # As in the reactions to an event: emails have the language of the portal, not that of the reader of a preview.
    with translation.override(settings.LANGUAGE_CODE):
        context = add_reader(build_context(event) | {"has_no_decider": False}, for_program=True)
    rendered = render(program_email.name, {"person": None, **context})
    return [*partner_emails, email.EmailMessage(to=_("Program reviewers"), **asdict(rendered))]


def _render_draft(event: AuditEvent, emails: list[email.EmailMessage]) -> EmailDraft | None:
    """Return the text of the template for the first recipient, None if people can't edit it."""
    options = TRANSITION_OPTIONS.get(event.type.transition)
    if not emails or options is None or not options.has_editable_email:
        return None
    context = add_reader(build_context(event), for_program=False)
    return render_draft(emails[0].name, {"person": emails[0].person, **context})
