"""Which programs are there, what does each ask, and which one is mine? Open to everybody."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.vary import vary_on_headers

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import (
    Edition,
    FulfillingParty,
    Program,
    Requirement,
    RequirementKind,
    Sla,
    SlaTarget,
    TargetType,
    Tier,
)
from integrations.submissions.presenters import PathStep
from integrations.submissions.services.creation import get_entry_edition
from integrations.submissions.views.drafts_shared import list_editable_partners

PARTNER_KIND_LABELS = {
    "infrastructure": gettext_noop("an infrastructure partner: Terraform manages what your platform offers"),
    "workflow": gettext_noop("a workflow partner: your service takes part in a Terraform run"),
}
PARTY_LABELS = {
    FulfillingParty.PARTNER: gettext_noop("you"),
    FulfillingParty.PROGRAM: gettext_noop("the program"),
    FulfillingParty.BOTH: gettext_noop("you and the program"),
    FulfillingParty.MACHINE: gettext_noop("the portal checks it"),
}
REQUIREMENT_KIND_LABELS = {
    RequirementKind.FORM: gettext_noop("a form"),
    RequirementKind.DOCUMENT: gettext_noop("a document"),
    RequirementKind.AGREEMENT: gettext_noop("an agreement, signed by both sides"),
    RequirementKind.ATTESTATION: gettext_noop("a confirmation"),
    RequirementKind.MEETING: gettext_noop("a meeting"),
    RequirementKind.CREDENTIALS: gettext_noop("test credentials, kept encrypted"),
    RequirementKind.CHECK: gettext_noop("by machine"),
}
TARGET_LABELS = {
    TargetType.RESPOND: gettext_noop("answered"),
    TargetType.RESOLVE: gettext_noop("resolved"),
    TargetType.TRACK: gettext_noop("tracked and resolved"),
}


@dataclass(frozen=True, slots=True)
class RequirementSummary:
    """One requirement as the program's page lists it. `of`: the categories that it is for, blank for all."""

    requirement: Requirement
    giver: str
    way: str
    of: str


def get_program_or_404(key: str) -> Program:
    if key not in PROGRAMS:
        raise Http404(_("There is no program of that name."))
    return PROGRAMS[key]


def get_edition_or_404(program: Program, date: str) -> Edition:
    """The edition that the address names; without one, the edition that a new integration enters."""
    if not date:
        return get_entry_edition(program.key)
    if date not in program.by_date:
        raise Http404(_("%(name)s has no edition of that date.") % {"name": program.name})
    return program.edition(date)


def summarize_requirements(edition: Edition, requirements: tuple[Requirement, ...]) -> list[RequirementSummary]:
    """Requirements in words."""
    names = {c.key: c.name for c in edition.categories}
    return [
        RequirementSummary(
            r,
            _(PARTY_LABELS[r.who]),
            _(REQUIREMENT_KIND_LABELS[r.kind]),
            ", ".join(names.get(key, key) for key in r.categories),
        )
        for r in requirements
    ]


def format_target(target: SlaTarget | None) -> str:
    """ "48 hours", "5 business days, ideally"; blank where nothing is promised."""
    if target is None:
        return ""
    if target.hours:
        amount = ngettext("%(count)s hour", "%(count)s hours", target.hours) % {"count": target.hours}
    else:
        days = target.business_days or 0
        amount = ngettext("%(count)s business day", "%(count)s business days", days) % {"count": days}
    return _("%(amount)s, ideally") % {"amount": amount} if target.ideally else amount


def list_sla_rows(sla: Sla) -> list[tuple[str, str]]:
    """The promise as (kind of issue, within): empty for a program without figures."""
    targets = ((_("Critical issues"), format_target(sla.critical)), (_("Other issues"), format_target(sla.other)))
    return [
        (
            issue_label,
            _("%(target_type)s within %(within)s")
            % {"target_type": _(TARGET_LABELS[sla.target_type]), "within": time_limit},
        )
        for issue_label, time_limit in targets
        if time_limit
    ]


@login_not_required
def list_programs(request: HttpRequest) -> HttpResponse:
    """All programs."""
    return render(request, "submissions/programs.html", {"products": group_by_product()})


def group_by_product() -> list[tuple[str, list[Program]]]:
    """Programs under their products: first the product whose partners are of several kinds, then by name."""
    programs_by_product: dict[str, list[Program]] = {}
    for program in PROGRAMS.values():
        programs_by_product.setdefault(program.product, []).append(program)
    return sorted(programs_by_product.items(), key=lambda pair: (not any(p.partners for p in pair[1]), pair[0]))


@login_not_required
def show_program(request: HttpRequest, key: str) -> HttpResponse:
    """Everything that a program publishes, in one of its editions."""
    selected_program = get_program_or_404(key)
    edition = get_edition_or_404(selected_program, request.GET.get("edition", ""))
    return render(request, "submissions/program.html", build_program_context(selected_program, edition, request.user))


def build_program_context(program: Program, edition: Edition, user: Any) -> dict[str, Any]:
    entry_edition = get_entry_edition(program.key)
    return {
        "program": program,
        "edition": edition,
        "editions": list(reversed(program.editions)),
        "is_entered": edition == entry_edition,
        "entered": entry_edition,
        "kind": _(PARTNER_KIND_LABELS.get(program.partners, "")),
        "path": [PathStep(step.name, "next", f"#step-{step.key}", "") for step in edition.steps],
        "steps": [(step, summarize_requirements(edition, step.requirements)) for step in edition.steps],
        "tiers": list_tier_rows(edition),
        "sla": list_sla_rows(edition.sla),
        "at_once": has_single_partner(user),
    }


def list_tier_rows(edition: Edition) -> list[tuple[Tier, list[RequirementSummary], int]]:
    """Each tier, what it asks beyond the path, and how many of its requirements the path holds."""
    path_ids = {r.id for r in edition.requirements()}
    rows = []
    for tier in edition.tiers:
        extra_requirements = tuple(r for r in tier.requirements if r.id not in path_ids)
        rows.append(
            (
                tier,
                summarize_requirements(edition, extra_requirements),
                len(tier.requirements) - len(extra_requirements),
            )
        )
    return rows


def has_single_partner(user: Any) -> bool:
    """Whether it is clear for which company a person begins, so that a button can make the draft."""
    return bool(user.is_authenticated) and len(list_editable_partners(user)) == 1


@login_not_required
@vary_on_headers("HX-Request")
def show_chooser(request: HttpRequest) -> HttpResponse:
    """Find your program Questions in the partner's words; the answers stand in the address."""
    chosen_programs = [PROGRAMS[key] for key in dict.fromkeys(request.GET.getlist("yes")) if key in PROGRAMS]
    kinds = list(dict.fromkeys(p.partners for p in chosen_programs if p.partners))
    context = {
        "products": group_by_product(),
        "chosen": chosen_programs,
        "chosen_keys": [p.key for p in chosen_programs],
        "kinds": [_(PARTNER_KIND_LABELS.get(kind, kind)) for kind in kinds],
        "is_both": len(kinds) > 1,
        "asked": bool(request.GET),
        "at_once": has_single_partner(request.user),
    }
    is_fragment = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    return render(request, f"submissions/chooser.html{'#answer' if is_fragment else ''}", context)


urlpatterns = [
    path("programs/choose/", show_chooser, name="start"),
    path("programs/", list_programs, name="programs"),
    path("programs/<slug:key>/", show_program, name="program"),
]
