"""Help pages: overview, glossary, and getting started."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse

from integrations.partners.models import Membership
from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.selectors.responsibility import MINE, list_by_responsible_party
from portal.accounts.requests import is_authenticated
from portal.help.getting_started import build_preparation_list, get_next_step
from portal.ui.content.glossary import CHAPTERS


@login_not_required
def show_help(request: HttpRequest) -> HttpResponse:
    """Show the overview of the help pages."""
    return render(request, "help/index.html")


@login_not_required
def show_glossary(request: HttpRequest) -> HttpResponse:
    """Show the glossary."""
    return render(request, "help/glossary.html", {"chapters": CHAPTERS, "tiers": list_tiers()})


def list_tiers() -> list[tuple[str, str, str, str]]:
    """Return (program, tier, meaning, address of what it asks) of every tier of every program."""
    return [
        (
            program.name,
            tier.name,
            tier.description,
            f"{reverse('submissions:program', args=[program.key])}#tier-{tier.key}",
        )
        for program in PROGRAMS.values()
        for tier in program.newest.tiers
    ]


@login_not_required
def show_getting_started(request: HttpRequest) -> HttpResponse:
    """Show an introduction, the next step of the user, and the preparation lists."""
    rows, drafts = [], []
    if is_authenticated(request):
        partner_ids = Membership.objects.filter(user=request.user, ended_at=None).values_list("partner_id", flat=True)
        rows = [row for row in list_by_responsible_party(list(partner_ids), list(partner_ids))[:1] if row.block == MINE]  # type: ignore[attr-defined]
        drafts = list(
            IntegrationDraft.objects.filter(partner_id__in=partner_ids, integration=None, sent_at=None, version__gt=0)[
                :1
            ]
        )
    sentence, name, parts = get_next_step(request.user, rows, drafts)
    preparation_lists = [build_preparation_list(program) for program in PROGRAMS.values()]
    context = {"sentence": sentence, "href": redirect(name, *parts).url, "preparation_lists": preparation_lists}
    return render(request, "help/getting_started.html", context)


urlpatterns = [
    path("help/", show_help, name="index"),
    path("help/glossary/", show_glossary, name="glossary"),
    path("help/getting-started/", show_getting_started, name="getting_started"),
]
