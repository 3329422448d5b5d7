"""Help pages: overview, glossary, getting started, and status."""

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
from integrations.partners.permissions import is_program_staff
from integrations.submissions.models import IntegrationDraft
from portal.dashboard.views.home import MINE, list_by_responsible_party
from portal.help.getting_started import get_next_step, list_preparation_lists
from portal.status import probes as measuring
from portal.ui.content.glossary import CHAPTERS, list_tiers


@login_not_required
def show_help(request: HttpRequest) -> HttpResponse:
    """Show the overview of the help pages."""
    return render(request, "help/index.html")


@login_not_required
def show_glossary(request: HttpRequest) -> HttpResponse:
    """Show the glossary."""
    return render(request, "help/glossary.html", {"chapters": CHAPTERS, "tiers": list_tiers()})


@never_cache
@login_not_required
@require_safe
def show_status(request: HttpRequest) -> HttpResponse:
    """Show the status page, with details for program staff. Return 503 if the database is down."""
    now = timezone.now()
    try:
        groups = measuring.measure_all(now)
        for_program = request.user.is_authenticated and is_program_staff(request.user)
    except DatabaseError:
        return HttpResponse(render_to_string("status/status_down.html"), status=503)
    tone, sentence = measuring.summarize(groups)
    context = {"groups": groups, "tone": tone, "sentence": sentence, "now": now, "for_program": for_program}
    return render(request, "status/status.html", context)


@never_cache
@login_not_required
@require_safe
def show_status_json(_request: HttpRequest) -> JsonResponse:
    """Return the status as JSON without details. Return 503 if the database is down."""
    now = timezone.now()
    try:
        with translation.override(settings.LANGUAGE_CODE):
            groups = measuring.measure_all(now)
            tone, summary = measuring.summarize(groups)
    except DatabaseError:
        return JsonResponse({"tone": "bad", "said": "The database is down."}, status=503)
    lines = [
        {"name": line.name, "state": line.state, "said": line.sentence, "at": line.at}
        for _, group in groups
        for line in group
    ]
    return JsonResponse({"at": now, "tone": tone, "said": summary, "lines": lines})


@login_not_required
def show_getting_started(request: HttpRequest) -> HttpResponse:
    """Show an introduction, the next step of the user, and the preparation lists."""
    rows, drafts = [], []
    if request.user.is_authenticated:
        partner_ids = Membership.objects.filter(user=request.user, ended_at=None).values_list("partner_id", flat=True)
        rows = [row for row in list_by_responsible_party(list(partner_ids), list(partner_ids))[:1] if row.block == MINE]  # type: ignore[attr-defined]
        drafts = list(
            IntegrationDraft.objects.filter(partner_id__in=partner_ids, integration=None, sent_at=None, version__gt=0)[
                :1
            ]
        )
    sentence, name, parts = get_next_step(request.user, rows, drafts)
    context = {"sentence": sentence, "href": redirect(name, *parts).url, "preparation_lists": list_preparation_lists()}
    return render(request, "help/getting_started.html", context)


urlpatterns = [
    path("help/", show_help, name="index"),
    path("help/glossary/", show_glossary, name="glossary"),
    path("status/", show_status, name="status"),
    path("status.json", show_status_json, name="status_json"),
    path("help/getting-started/", show_getting_started, name="getting_started"),
]
