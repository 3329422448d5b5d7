"""Views of the program's email log and of a person's own notifications."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.access import redirect_get_to
from portal.core.form_fields import clean_search_query
from portal.notifications.email import mark_as_seen
from portal.notifications.models import EmailMessage
from portal.notifications.personal_links import hide_personal_links
from portal.notifications.selectors import SECRET_TEMPLATES, filter_emails, list_received_emails
from portal.ui.pagination import paginate, redirect_to_list


def require_access(request: HttpRequest) -> None:
    """Require program staff. Without a mail server the log is public, so that people can complete a sign-up."""
    if not (settings.EMAIL_LOG_PUBLIC or permissions.is_program_staff(request.user)):
        raise Http404(_("Only program staff can see the email log."))


@login_not_required
def show_email_log(request: HttpRequest) -> HttpResponse:
    """Show all emails, newest first, with filters for state and text."""
    require_access(request)
    state = request.GET.get("state", "")
    query = clean_search_query(request.GET.get("q", ""))
    page = paginate(request, filter_emails(state, query))
    context = {
        "page": page,
        "state": state,
        "q": query,
        "states": EmailMessage.State.choices,
    }
    return render(request, "inbox/email_log.html", context)


@login_not_required
def show_email(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show an email to its recipient, and to program staff without personal links. No one sees links that sign in."""
    email = get_object_or_404(EmailMessage, uuid=uuid)
    if email.person_id is None or email.person_id != request.user.pk:
        require_access(request)
        if not settings.EMAIL_LOG_PUBLIC:
            # These links work without a sign-in, so staff could act as the recipient.
            email.text = hide_personal_links(email.text)
    else:
        mark_as_seen(EmailMessage.objects.filter(pk=email.pk), timezone.now())
    # Not even the recipient: with such a link, someone at an open session could set a new password.
    if email.name in SECRET_TEMPLATES and not settings.EMAIL_LOG_PUBLIC:
        raise Http404(_("This email contains a sign-in link. Only its recipient can see it."))
    return render(request, "inbox/email.html", {"email": email})


def show_notifications(request: HttpRequest) -> HttpResponse:
    """Show the notifications of the signed-in person, newest first, or only those that are unread."""
    emails = list_received_emails(request.user.pk, timezone.now())
    unread = emails.filter(seen_at=None)
    unread_count = unread.count()
    is_unread_only = request.GET.get("tab") == "unread"
    page = paginate(request, unread, count=unread_count) if is_unread_only else paginate(request, emails)
    context = {
        "page": page,
        "total_count": emails.count() if is_unread_only else page.paginator.count,
        "unread_count": unread_count,
        "is_unread_only": is_unread_only,
        "is_all": not is_unread_only,
    }
    return render(request, "inbox/list.html", context)


@redirect_get_to("inbox:list")
def mark_all_as_read(request: HttpRequest) -> HttpResponse:
    """Mark all notifications of the signed-in person as read."""
    now = timezone.now()
    mark_as_seen(list_received_emails(request.user.pk, now), now)
    return redirect_to_list(request, "inbox:list")
