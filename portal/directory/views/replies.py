"""Form for replies to the support record."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.views.access import require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.directory.listing_page import get_current_reply, list_replies
from portal.directory.models import Listing
from portal.directory.partner_replies import ReplyForm, save_reply
from portal.ui.refusals import add_refusals_to_form


def edit_reply(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the form for the reply with the previous replies."""
    row = Integration.objects.visible_to(request.user).select_related("partner").filter(uuid=uuid).first()
    listing = Listing.objects.filter(uuid=uuid).first()
    if row is None or listing is None:
        raise Http404(_("Listing not found. It doesn't exist, or you don't have access."))
    require_permission(permissions.can_edit, row, request.user)
    current_reply = get_current_reply(row)
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = ReplyForm(data=form_data, row=row, initial={"text": current_reply.note if current_reply else ""})
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"]
        with add_refusals_to_form(form):
            if save_reply(row, text, actor=request.user, now=timezone.now()) is not None:
                messages.success(request, _("Reply published.") if text else _("Reply withdrawn."))
            return redirect("directory:listing", uuid)
    context = {"form": form, "integration": row, "row": listing, "history": list_replies(row)[:50]}
    return render(request, "directory/reply.html", context, status=422 if request.method == "POST" else 200)
