"""What mail went out, waits or failed? The outbox of the program, and each person's own notifications."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.core.text_fields import searched
from portal.notifications.models import Email
from portal.ui.pagination import page_of

UNTOLD = (Email.State.CANCELLED, Email.State.HELD, Email.State.SILENCED)
KEYS = frozenset({"confirm_address", "reset_password", "invitation"})  # whoever reads their link can use it


def ask_whether_open(request: HttpRequest) -> None:
    """The outbox is the program's; without a mail server it is open, so that a sign-up can be finished."""
    if not (settings.OUTBOX_OPEN or permissions.works_for_program(request.user)):
        raise Http404(_("There is nothing here for you."))


@login_not_required
def outbox(request: HttpRequest) -> HttpResponse:
    """Every mail, newest first, by state and by words in subject or address."""
    ask_whether_open(request)
    state, words = request.GET.get("state", ""), searched(request.GET.get("q", ""))
    page = page_of(request, chosen(state, words))
    context = {"page": page, "state": state, "q": words, "states": Email.State.choices}
    return render(request, "notifications/email_log.html", context)


def chosen(state: str, words: str) -> QuerySet[Email]:
    """The mails that the filters leave, without what they say. What is no state filters nothing."""
    mails = Email.objects.defer("text", "html", "calendar")
    if state in Email.State.values:
        mails = mails.filter(state=state)
    if words:
        mails = mails.filter(subject__icontains=words) | mails.filter(to__icontains=words)
    return mails


@login_not_required
def mail(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One mail as its receiver gets it. Its receiver may always read it."""
    found = get_object_or_404(Email, uuid=uuid)
    if found.person_id is None or found.person_id != request.user.pk:
        ask_whether_open(request)
    if found.name in KEYS and not settings.OUTBOX_OPEN:
        raise Http404(_("This mail holds a key to an account: only its address gets it."))
    return render(request, "notifications/mail.html", {"mail": found})


def notifications(request: HttpRequest) -> HttpResponse:
    """What the signed-in person was told, newest first; opening the page marks it as seen."""
    told = Email.objects.filter(person_id=request.user.pk).exclude(state__in=UNTOLD)
    page = page_of(request, told.defer("text", "html", "calendar"))
    shown = [mail.pk for mail in page if mail.seen_at is None]
    response = render(request, "notifications/inbox.html", {"page": page})
    Email.objects.filter(pk__in=shown).update(seen_at=timezone.now())
    return response
