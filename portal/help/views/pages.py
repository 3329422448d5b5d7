"""What does the portal tell of itself? The help pages: words, how it is doing, and where a partner begins."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import path
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from integrations.partners.models import Membership
from integrations.partners.permissions import works_for_program
from integrations.submissions.models import Draft
from portal.dashboard.views.home import MINE, by_turn
from portal.help.getting_started import all_packings, next_step
from portal.status import probes as measuring
from portal.ui.content.glossary import CHAPTERS, tiers


@login_not_required
def help_index(request: HttpRequest) -> HttpResponse:
    """Where to find what."""
    return render(request, "help/index.html")


@login_not_required
def words(request: HttpRequest) -> HttpResponse:
    """The glossary."""
    return render(request, "help/glossary.html", {"chapters": CHAPTERS, "tiers": tiers()})


@never_cache
@login_not_required
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """How it is now; people of the program see the figures too. 503 where the database does not answer."""
    now = timezone.now()
    try:
        groups = measuring.everything(now)
        for_program = request.user.is_authenticated and works_for_program(request.user)
    except DatabaseError:
        return HttpResponse(render_to_string("status/status_down.html"), status=503)
    tone, sentence = measuring.overall(groups)
    context = {"groups": groups, "tone": tone, "sentence": sentence, "now": now, "for_program": for_program}
    return render(request, "status/status.html", context)


@never_cache
@login_not_required
@require_safe
def status_json(_request: HttpRequest) -> JsonResponse:
    """The same for machines, without the figures, whatever they read. 503 where the database does not answer."""
    now = timezone.now()
    try:
        with translation.override(settings.LANGUAGE_CODE):
            groups = measuring.everything(now)
            tone, said = measuring.overall(groups)
    except DatabaseError:
        return JsonResponse({"tone": "bad", "said": "The database does not answer."}, status=503)
    lines = [
        {"name": line.name, "state": line.state, "said": line.sentence, "at": line.at}
        for _, group in groups
        for line in group
    ]
    return JsonResponse({"at": now, "tone": tone, "said": said, "lines": lines})


@login_not_required
def welcome(request: HttpRequest) -> HttpResponse:
    """A partner's first look: what the portal does, the reader's own next step, what to have at hand. Keeps nothing."""
    rows, drafts = [], []
    if request.user.is_authenticated:
        mine = Membership.objects.filter(user=request.user, ended_at=None).values_list("partner_id", flat=True)
        rows = [row for row in by_turn(list(mine), list(mine))[:1] if row.block == MINE]  # type: ignore[attr-defined]
        drafts = list(Draft.objects.filter(partner_id__in=mine, integration=None, sent_at=None, version__gt=0)[:1])
    sentence, name, parts = next_step(request.user, rows, drafts)
    context = {"sentence": sentence, "href": redirect(name, *parts).url, "packings": all_packings()}
    return render(request, "help/getting_started.html", context)


urlpatterns = [
    path("help/", help_index, name="help"),
    path("help/words/", words, name="words"),
    path("status/", status, name="status"),
    path("status.json", status_json, name="status_json"),
    path("welcome/", welcome, name="welcome"),
]
