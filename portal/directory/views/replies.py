"""Where does a company write its reply to the support record? A form for its owners and editors."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import only
from portal.core.errors import NotAllowed
from portal.directory.listing_page import replies, reply_of
from portal.directory.models import Listing
from portal.directory.partner_replies import ReplyForm, reply
from portal.ui.refusals import refused


def listing_reply(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Write, change or take back the reply; everything that was said before stands below."""
    row = Integration.objects.visible_to(request.user).select_related("partner").filter(uuid=uuid).first()
    listing = Listing.objects.filter(uuid=uuid).first()
    if row is None or listing is None:
        raise Http404(_("This integration was never listed, or it is not visible to you."))
    only(permissions.may_edit, row, request.user)
    said = reply_of(row)
    sent = request.POST if request.method == "POST" else None
    form = ReplyForm(sent, row=row, initial={"text": said.text if said else ""})
    if form.is_valid():
        return _said(request, row, form.cleaned_data["text"])
    context = {"form": form, "integration": row, "row": listing, "history": replies(row)[:50]}
    return render(request, "directory/reply.html", context, status=422 if form.errors else 200)


def _said(request: HttpRequest, row: Integration, text: str) -> HttpResponse:
    try:
        done = reply(row, text, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("listing_reply", uuid=row.uuid)
    if done is not None:
        messages.success(request, _("Everyone reads it from now on.") if text else _("The reply was taken back."))
    return redirect("listing", uuid=row.uuid)
