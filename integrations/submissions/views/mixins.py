"""What do all pages of this floor begin with? Load or 404, and show a refusal without losing anything."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration, Introduction


def load_visible_integration(request: HttpRequest, uuid: UUID) -> Integration:
    """The integration, with its company, reviewer and manager. Raises Http404 for what is not the person's to see."""
    visible = Integration.objects.visible_to(request.user)
    introductions = Introduction.objects.filter(Q(asking=OuterRef("pk")) | Q(other=OuterRef("pk")))
    rows = visible.select_related("partner__alliances_manager", "reviewer", "decided_by").filter(uuid=uuid)
    integration = rows.annotate(has_introductions=Exists(introductions)).order_by("pk").first()
    if integration is None:
        raise Http404(_("This integration does not exist, or it is not visible to you."))
    return integration


def require_permission(rule: Callable[[Integration, Any], bool], integration: Integration, user: Any) -> None:
    """Raises PermissionDenied for whom the rule does not let through: their form is not even shown."""
    if not rule(integration, user):
        raise PermissionDenied(permissions.get_refusal(rule.__name__))


def require_button(page: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """A button's address. Opened without the button, as after a sign-in that came between, it leads to `page`,
    which takes the same uuid, if the address has one."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def handle(request: HttpRequest, **url_kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return redirect(page, **{key: value for key, value in url_kwargs.items() if key == "uuid"})
            return view(request, **url_kwargs)

        return handle

    return decorate
