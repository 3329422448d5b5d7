"""Previews of Markdown, and messages about the people whom it mentions."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.access import load_visible_integration, redirect_get_to, require_permission
from integrations.submissions.models import Integration
from integrations.submissions.selectors.people import find_mentions, list_hinted_handles, list_participants
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import clean_text
from portal.core.value_types import TemplateContext

MAX_LENGTH = 8000


@redirect_get_to("submissions:detail")
def preview_text(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show how a text will look, for the page that contains its form."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_post_message, integration, request.user)
    preview = build_preview(request, integration, internal="internal" in request.POST)
    return render(request, "submissions/partials/text_preview.html", {"preview": preview})


def build_preview(
    request: AuthenticatedRequest, integration: Integration, *, internal: bool = False
) -> TemplateContext | None:
    """Return the text of the field that the pressed button names, with its mentions, or None if none was pressed."""
    field = request.POST.get("preview", "")
    if not field:
        return None
    text = clean_text(request.POST.get(field, ""))[:MAX_LENGTH]
    return {"text": text, "mentions": find_mentions(integration, text, author=request.user, internal=internal)}


def build_text_context(
    request: AuthenticatedRequest, integration: Integration, *, internal: bool = False
) -> TemplateContext:
    """Return the context of a page with a text field: its preview, and handles of people to mention."""
    return {
        "preview": build_preview(request, integration, internal=internal),
        "handles": list_hinted_handles(integration, list_participants(integration), request.user),
    }


def is_submitted(request: HttpRequest) -> bool:
    """Return whether a form was sent to be saved, not to be previewed."""
    return request.method == "POST" and "preview" not in request.POST


def report_mentions(
    request: AuthenticatedRequest, integration: Integration, text: str, *, internal: bool = False
) -> None:
    """Show the people that a saved text notified, and the names that match no one."""
    mentions = find_mentions(integration, text, author=request.user, internal=internal)
    if mentions.people:
        people = ", ".join(map(str, mentions.people))
        messages.success(request, _("We notified %(people)s.") % {"people": people})
    if mentions.unknown:
        refusal = _("We notified no one for %(names)s: no one who can read this text has this name.")
        messages.warning(request, refusal % {"names": ", ".join(mentions.unknown)})
