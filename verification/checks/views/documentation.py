"""Public help pages for checks."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _

from verification.checks.documentation import list_outcomes, list_programs_using_check
from verification.checks.types import CHECKS, Check


@login_not_required
def show_checks_help(request: HttpRequest) -> HttpResponse:
    """Show all checks, or those that match the search, with the meaning of each outcome."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:100]
    rows = [check for _key, check in sorted(CHECKS.items()) if is_search_match(check, query)]
    return render(request, "checks/checks_help.html", {"rows": rows, "outcomes": list_outcomes(), "q": query})


def is_search_match(check: Check, query: str) -> bool:
    """Return whether each word is part of the check's key, title, expectation, or advice."""
    text = " ".join((check.key, _(check.title), _(check.expectation), _(check.advice))).lower()
    return all(word in text for word in query.lower().split())


@login_not_required
def show_check_help(request: HttpRequest, key: str) -> HttpResponse:
    """Show the help page of one check."""
    if key not in CHECKS:
        raise Http404(_("Check not found."))
    check = CHECKS[key]
    context = {
        "check": check,
        "programs": list_programs_using_check(key),
        "outcomes": list_outcomes(),
    }
    return render(request, "checks/check_help.html", context)


urlpatterns = [
    path("help/checks/", show_checks_help, name="help"),
    path("help/checks/<str:key>/", show_check_help, name="check_help"),
]
