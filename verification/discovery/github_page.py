"""Page that lists the repositories that the person's GitHub access can read, to start from one of them."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.github_access import services
from portal.github_access.clients import list_repositories
from portal.github_access.models import GitHubGrant
from verification.sources.errors import SourceError

PAGE_SIZE = 30


def select_repository(request: AuthenticatedRequest) -> HttpResponse:
    """List the repositories, filtered by name. Each has a button that has it read."""
    if not services.is_available():
        raise Http404(_("Sign-in with GitHub is not available."))
    grant = services.find_grant(request.user)
    context: TemplateContext = {
        "grant": grant,
        "install_url": services.get_install_url(),
        "q": request.GET.get("q", "").strip()[:100],
    }
    if grant is not None and grant.is_active:
        context |= _load_page(request, grant, context["q"])
    return render(request, "discovery/github.html", context)


def _load_page(request: AuthenticatedRequest, grant: GitHubGrant, words: str) -> TemplateContext:
    try:
        repositories = list_repositories(grant)
    except services.GrantEndedError:
        return {"grant": services.find_grant(request.user)}
    except SourceError as error:
        return {"problem": str(error)}
    rows = [row for row in repositories if words.lower() in row.full_name.lower()]
    return {"page": Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))}
