"""Access to integrations for pages and the API: load a visible one, and check permissions and the request method."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet, UUIDField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.permissions import PermissionRule
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.notifications.models import EmailMessage


def select_integration() -> QuerySet[Integration]:
    """Return the integration of the parameter `uuid` with its partner, reviewer, and manager.

    Other people, such as the first approver, are rarely set, and loading them costs more than a query when they are.
    """
    failed_emails = EmailMessage.objects.filter(integration=OuterRef("pk"), state=EmailMessage.State.FAILED)
    rows = Integration.objects.select_related("partner__alliances_manager", "reviewer")
    # No order: Django would hash each of the 150 columns for it.
    rows = rows.filter(uuid=Parameter("uuid", UUIDField())).order_by()
    return rows.annotate(has_failed_emails=Exists(failed_emails))


INTEGRATION = CompiledQuery(select_integration)


def load_visible_integration(
    request: HttpRequest, uuid: UUID, query: CompiledQuery[Integration] = INTEGRATION, **values: object
) -> Integration:
    """Return the integration of a query that extends `select_integration`. Raises Http404 if it is hidden.

    `values` are those of further parameters of the query.
    """
    user = request.user
    rows = query.fetch(uuid=uuid, **values)
    if not rows or not user.is_authenticated or not permissions.can_view(rows[0], user):
        raise Http404(_("Integration not found. It doesn't exist, or you don't have access."))
    return rows[0]


def require_program_staff(request: HttpRequest) -> None:
    """Raise Http404 for everyone except program staff."""
    if not permissions.is_program_staff(request.user):
        raise Http404(_("Page not found."))


def load_integration_for_program(request: HttpRequest, uuid: UUID) -> Integration:
    """Return an integration for program staff. Raises Http404 for everyone else."""
    require_program_staff(request)
    return load_visible_integration(request, uuid)


def require_permission(rule: PermissionRule, integration: Integration, user: User | None) -> None:
    """Raise PermissionDenied if the rule refuses the user."""
    if not rule(integration, user):
        raise PermissionDenied(refusals.explain_refusal(rule.__name__, integration, user))


def redirect_get_to(page: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Redirect GET requests of a POST-only URL, such as after a sign-in, to `page` with the same UUID."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def handle(request: HttpRequest, **url_kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return redirect(page, **{key: value for key, value in url_kwargs.items() if key == "uuid"})
            return view(request, **url_kwargs)

        return handle

    return decorate
