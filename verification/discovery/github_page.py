"""Pages that use a person's GitHub access: repository selection, and a change of the reader of a repository."""

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.access import load_visible_integration, redirect_get_to, require_permission
from integrations.submissions.services.creation import change_repository_reader
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import clean_search_query
from portal.core.value_types import TemplateContext
from portal.github_access import services
from portal.github_access.clients import list_repositories
from portal.github_access.models import GitHubGrant
from portal.ui.refusals import report_refusals
from verification.sources.errors import SourceError

PAGE_SIZE = 30


def select_repository(request: AuthenticatedRequest) -> HttpResponse:
    """List the repositories, filtered by name. Each has a button that starts an integration."""
    if not services.is_available():
        raise Http404(_("Sign-in with GitHub is not available."))
    grant = services.find_grant(request.user)
    context: TemplateContext = {
        "grant": grant,
        "install_url": services.get_install_url(),
        "q": clean_search_query(request.GET.get("q", "")),
    }
    if grant is not None and grant.is_active:
        context |= _load_page(request, grant, context["q"])
    return render(request, "discovery/github.html", context)


@redirect_get_to("submissions:detail")
def change_reader(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Read a private repository with this person's access, such as after a colleague left."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, integration, request.user)
    grant = services.find_grant(request.user)
    if grant is None or not grant.is_active:
        messages.info(request, _("Connect GitHub first."))
        page = reverse("submissions:detail", args=[uuid])
        return redirect(f"{reverse('github_access:access')}?{urlencode({'next': page})}")
    with report_refusals(request, _("We now use your GitHub access to read this repository.")):
        change_repository_reader(integration, actor=request.user, now=timezone.now())
    return redirect("submissions:detail", uuid)


def _load_page(request: AuthenticatedRequest, grant: GitHubGrant, query: str) -> TemplateContext:
    try:
        repositories = list_repositories(grant)
    # The request ended the grant, so the page has to show the new state.
    except services.GrantEndedError:
        return {"grant": services.find_grant(request.user)}
    except SourceError as error:
        return {"problem": str(error)}
    # GitHub's list of a person's repositories has no search.
    rows = [row for row in repositories if query.lower() in row.full_name.lower()]
    return {"page": Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))}
