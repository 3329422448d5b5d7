"""Helpers that all integration pages share."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, FilteredRelation, OuterRef
from django.db.models.expressions import Combinable
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from integrations.partners import refusals
from integrations.partners.permissions import PermissionRule
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.notifications.models import EmailMessage


def load_visible_integration(
    request: HttpRequest, uuid: UUID, **annotations: FilteredRelation | Combinable
) -> Integration:
    """Return an integration with its partner, reviewer, manager, and annotations. Raises Http404 if hidden.

    Other people, such as the first approver, are rarely set, and loading them costs more than a query when they are.
    """
    visible = Integration.objects.visible_to(request.user)
    failed_emails = EmailMessage.objects.filter(integration=OuterRef("pk"), state=EmailMessage.State.FAILED)
    rows = visible.select_related("partner__alliances_manager", "reviewer").filter(uuid=uuid)
    try:  # get() needs no order, for which Django hashes each of the 150 columns
        return rows.annotate(has_failed_emails=Exists(failed_emails), **annotations).get()
    except Integration.DoesNotExist:
        raise Http404(_("Integration not found. It doesn't exist, or you don't have access.")) from None


def require_permission(rule: PermissionRule, integration: Integration, user: User | None) -> None:
    """Raise PermissionDenied if the rule refuses the user."""
    if not rule(integration, user):
        raise PermissionDenied(refusals.explain_refusal(rule.__name__, integration, user))


def require_button(page: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Redirect GET requests of a button's URL (for example after a sign-in) to `page` with the same UUID."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def handle(request: HttpRequest, **url_kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return redirect(page, **{key: value for key, value in url_kwargs.items() if key == "uuid"})
            return view(request, **url_kwargs)

        return handle

    return decorate
