"""Views of the program's email log and of a person's own notifications."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.core.text_fields import clean_search_query
from portal.notifications.models import EmailMessage
from portal.ui.pagination import paginate

HIDDEN_STATES = (EmailMessage.State.CANCELED, EmailMessage.State.HELD, EmailMessage.State.SUPPRESSED)
SECRET_TEMPLATES = frozenset({"confirm_address", "reset_password", "invitation"})  # their links work without a password


def require_access(request: HttpRequest) -> None:
    """Require program staff. Without a mail server the log is public, so that people can complete a sign-up."""
    if not (settings.EMAIL_LOG_PUBLIC or permissions.is_program_staff(request.user)):
        raise Http404(_("Only program staff can see the email log."))


@login_not_required
def show_email_log(request: HttpRequest) -> HttpResponse:
    """Show all emails, newest first, with filters for state and text."""
    require_access(request)
    state, query = request.GET.get("state", ""), clean_search_query(request.GET.get("q", ""))
    page = paginate(request, filter_emails(state, query))
    context = {"page": page, "state": state, "q": query, "states": EmailMessage.State.choices}
    return render(request, "notifications/email_log.html", context)


def filter_emails(state: str, query: str) -> QuerySet[EmailMessage]:
    """Return the emails that match, without their texts. An unknown state is ignored."""
    mails = EmailMessage.objects.defer("text", "html", "calendar")
    if state in EmailMessage.State.values:
        mails = mails.filter(state=state)
    if query:
        mails = mails.filter(subject__icontains=query) | mails.filter(to__icontains=query)
    return mails


@login_not_required
def show_email(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show an email. Its recipient can always see it."""
    email = get_object_or_404(EmailMessage, uuid=uuid)
    if email.person_id is None or email.person_id != request.user.pk:
        require_access(request)
    if email.name in SECRET_TEMPLATES and not settings.EMAIL_LOG_PUBLIC:
        raise Http404(_("This email contains a sign-in link. Only its recipient can see it."))
    return render(request, "notifications/mail.html", {"mail": email})


def show_notifications(request: HttpRequest) -> HttpResponse:
    """Show the notifications of the signed-in person, newest first, and mark them as seen."""
    emails = EmailMessage.objects.filter(person_id=request.user.pk).exclude(state__in=HIDDEN_STATES)
    page = paginate(request, emails.defer("text", "html", "calendar"))
    unseen_ids = [mail.pk for mail in page if mail.seen_at is None]
    response = render(request, "notifications/inbox.html", {"page": page})
    EmailMessage.objects.filter(pk__in=unseen_ids).update(seen_at=timezone.now())
    return response
