"""What does a check ask, and what is to be done? A page for each check, open to everybody."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _

from verification.checks.documentation import MEANINGS, asks, more, programs_of
from verification.checks.types import CHECKS, Check
from verification.outcomes import WORST_FIRST


@login_not_required
def checks_help(request: HttpRequest) -> HttpResponse:
    """Every check, or those that speak of what was searched for, and what the outcomes mean."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:100]
    rows = [(check, _(asks(check))) for _key, check in sorted(CHECKS.items()) if speaks_of(check, words)]
    return render(request, "checks/checks_help.html", {"rows": rows, "outcomes": outcomes(), "q": words})


def speaks_of(check: Check, words: str) -> bool:
    """Whether each of the words stands in a check's name, question or advice."""
    text = " ".join((check.key, _(check.title), _(asks(check)), _(check.advice))).lower()
    return all(word in text for word in words.lower().split())


@login_not_required
def check_help(request: HttpRequest, key: str) -> HttpResponse:
    """One check."""
    if key not in CHECKS:
        raise Http404(_("There is no check of that name."))
    check = CHECKS[key]
    context = {
        "check": check,
        "title": _(check.title),
        "asks": _(asks(check)),
        "more": [_(paragraph) for paragraph in more(check)],
        "programs": programs_of(key),
        "fresh_days": check.fresh.days,
        "outcomes": outcomes(),
    }
    return render(request, "checks/check_help.html", context)


def outcomes() -> list[tuple[str, str]]:
    """Each outcome with its meaning, the good ones first."""
    return [(str(outcome), MEANINGS[outcome]) for outcome in reversed(WORST_FIRST)]


urlpatterns = [
    path("help/checks/", checks_help, name="checks_help"),
    path("help/checks/<str:key>/", check_help, name="check_help"),
]
