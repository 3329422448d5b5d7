"""Public pages of the programs and the program finder."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _, gettext_noop
from django.views.decorators.vary import vary_on_headers

from integrations.programs.comparison import EditionComparison
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import KINDS, FulfillingParty, Requirement
from integrations.programs.schema import Edition, Program, Tier
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.policy_labels import list_calendar_rows, list_sla_rows
from integrations.submissions.workflow.states import STAGE_LABELS
from portal.core.repository_urls import MAX_URL_LENGTH
from portal.ui.htmx import is_fragment_request

PARTNER_KIND_LABELS = {
    "infrastructure": gettext_noop("Infrastructure partner: Terraform manages resources on your platform."),
    "workflow": gettext_noop("Workflow partner: your service is part of a Terraform run."),
}
PARTY_LABELS = {
    FulfillingParty.PARTNER: gettext_noop("You"),
    FulfillingParty.PROGRAM: gettext_noop("The program"),
    FulfillingParty.BOTH: gettext_noop("You and the program"),
    FulfillingParty.PORTAL: gettext_noop("Automated check"),
}


@dataclass(frozen=True, slots=True)
class RequirementSummary:
    """Requirement with its labels. The categories are blank for all, and the stage if the step requires it."""

    requirement: Requirement
    party: str
    kind: str
    categories: str
    stage: str


def get_program_or_404(key: str) -> Program:
    if key not in PROGRAMS:
        raise Http404(_("Program not found."))
    return PROGRAMS[key]


def get_edition_or_404(program: Program, date: str) -> Edition:
    """Return the edition of the URL, or the edition for new integrations."""
    if not date:
        return get_edition_in_force(program.key)
    if date not in program.by_date:
        raise Http404(_("%(name)s has no edition with this date.") % {"name": program.name})
    return program.by_date[date]


def summarize_requirements(edition: Edition, requirements: tuple[Requirement, ...]) -> list[RequirementSummary]:
    names = {c.key: c.name for c in edition.categories}
    return [
        RequirementSummary(
            r,
            party=_(PARTY_LABELS[r.responsible_party]),
            kind=_(KINDS[r.kind].label),
            categories=", ".join(names[key] for key in r.categories),
            stage=str(STAGE_LABELS[r.needed_for]) if r.needed_for else "",
        )
        for r in requirements
    ]


@login_not_required
def list_programs(request: HttpRequest) -> HttpResponse:
    """List all programs."""
    products = [
        (product, [(program, get_edition_in_force(program.key)) for program in programs])
        for product, programs in group_by_product()
    ]
    return render(request, "submissions/programs.html", {"products": products})


def group_by_product() -> list[tuple[str, list[Program]]]:
    """Return programs by product: products with several partner kinds first, then by name."""
    programs_by_product: dict[str, list[Program]] = {}
    for program in PROGRAMS.values():
        programs_by_product.setdefault(program.product, []).append(program)
    return sorted(programs_by_product.items(), key=lambda pair: (not any(p.partner_type for p in pair[1]), pair[0]))


@login_not_required
def show_program(request: HttpRequest, key: str) -> HttpResponse:
    """Show an edition of a program."""
    selected_program = get_program_or_404(key)
    edition = get_edition_or_404(selected_program, request.GET.get("edition", ""))
    return render(request, "submissions/program.html", build_program_context(selected_program, edition))


def build_program_context(program: Program, edition: Edition) -> dict[str, object]:
    edition_in_force = get_edition_in_force(program.key)
    return {
        "program": program,
        "edition": edition,
        "edition_in_force": edition_in_force,
        "comparison": compare_with_neighbor(program, edition, edition_in_force),
        "kind": _(PARTNER_KIND_LABELS.get(program.partner_type, "")),
        "path": [{"name": step.name, "state": "next", "href": f"#step-{step.key}"} for step in edition.steps],
        "steps": [(step, summarize_requirements(edition, step.requirements)) for step in edition.steps],
        "tiers": list_tier_rows(edition),
        "calendar": list_calendar_rows(edition.calendar),
        "sla": list_sla_rows(edition.sla),
    }


def compare_with_neighbor(program: Program, edition: Edition, edition_in_force: Edition) -> EditionComparison | None:
    """Compare an edition with the one in force, and that one with the next or previous; None for a single edition."""
    others = [each for each in program.editions if each != edition_in_force]
    if not others:
        return None
    other = edition
    if edition == edition_in_force:
        later = [each for each in others if each.date > edition_in_force.date]
        other = later[0] if later else others[-1]
    return EditionComparison(*sorted((other, edition_in_force), key=lambda each: each.date))


def list_tier_rows(edition: Edition) -> list[tuple[Tier, list[RequirementSummary], int]]:
    """Return each tier, its requirements beyond the path, and the number of those on the path."""
    path_ids = {r.id for r in edition.list_requirements()}
    rows = []
    for tier in edition.tiers:
        extra_requirements = tuple(r for r in tier.requirements if r.id not in path_ids)
        path_count = len(tier.requirements) - len(extra_requirements)
        rows.append((tier, summarize_requirements(edition, extra_requirements), path_count))
    return rows


@login_not_required
@vary_on_headers("HX-Request")
def show_chooser(request: HttpRequest) -> HttpResponse:
    """Show the program finder. The URL contains the answers, and the repository if we couldn't read it."""
    chosen_programs = [PROGRAMS[key] for key in dict.fromkeys(request.GET.getlist("yes")) if key in PROGRAMS]
    kinds = list(dict.fromkeys(p.partner_type for p in chosen_programs if p.partner_type))
    context = {
        "products": group_by_product(),
        "selected_programs": chosen_programs,
        "kinds": [_(PARTNER_KIND_LABELS.get(kind, kind)) for kind in kinds],
        "repository": request.GET.get("repository", "")[:MAX_URL_LENGTH],
    }
    part = "#answer" if is_fragment_request(request) else ""
    return render(request, f"submissions/program_finder.html{part}", context)
