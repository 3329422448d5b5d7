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
from integrations.programs.schema import Edition, Kind, Program, Requirement, Sla, Target, Tier, Verb, Who
from integrations.submissions.presenters import PathStep
from integrations.submissions.services.creation import entering_edition
from integrations.submissions.views.drafts_shared import companies_of

KINDS = {
    "infrastructure": gettext_noop("an infrastructure partner: Terraform manages what your platform offers"),
    "workflow": gettext_noop("a workflow partner: your service takes part in a Terraform run"),
}
GIVERS = {
    Who.PARTNER: gettext_noop("you"),
    Who.PROGRAM: gettext_noop("the program"),
    Who.BOTH: gettext_noop("you and the program"),
    Who.MACHINE: gettext_noop("the portal checks it"),
}
WAYS = {
    Kind.FORM: gettext_noop("a form"),
    Kind.DOCUMENT: gettext_noop("a document"),
    Kind.AGREEMENT: gettext_noop("an agreement, signed by both sides"),
    Kind.ATTESTATION: gettext_noop("a confirmation"),
    Kind.MEETING: gettext_noop("a meeting"),
    Kind.CREDENTIALS: gettext_noop("test credentials, kept encrypted"),
    Kind.CHECK: gettext_noop("by machine"),
}
VERBS = {
    Verb.RESPOND: gettext_noop("answered"),
    Verb.RESOLVE: gettext_noop("resolved"),
    Verb.TRACK: gettext_noop("tracked and resolved"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One requirement as the program's page lists it. `of`: the categories that it is for, blank for all."""

    requirement: Requirement
    giver: str
    way: str
    of: str


def program_or_404(key: str) -> Program:
    if key not in PROGRAMS:
        raise Http404(_("There is no program of that name."))
    return PROGRAMS[key]


def edition_or_404(found: Program, date: str) -> Edition:
    """The edition that the address names; without one, the edition that a new integration enters."""
    if not date:
        return entering_edition(found.key)
    if date not in found.by_date:
        raise Http404(_("%(name)s has no edition of that date.") % {"name": found.name})
    return found.edition(date)


def asked(edition: Edition, requirements: tuple[Requirement, ...]) -> list[Asked]:
    """Requirements in words."""
    names = {c.key: c.name for c in edition.categories}
    return [
        Asked(r, _(GIVERS[r.who]), _(WAYS[r.kind]), ", ".join(names.get(key, key) for key in r.categories))
        for r in requirements
    ]


def promised(target: Target | None) -> str:
    """ "48 hours", "5 business days, ideally"; blank where nothing is promised."""
    if target is None:
        return ""
    if target.hours:
        amount = ngettext("%(count)s hour", "%(count)s hours", target.hours) % {"count": target.hours}
    else:
        days = target.business_days or 0
        amount = ngettext("%(count)s business day", "%(count)s business days", days) % {"count": days}
    return _("%(amount)s, ideally") % {"amount": amount} if target.ideally else amount


def sla_rows(sla: Sla) -> list[tuple[str, str]]:
    """The promise as (kind of issue, within): empty for a program without figures."""
    said = ((_("Critical issues"), promised(sla.critical)), (_("Other issues"), promised(sla.other)))
    return [
        (issues, _("%(verb)s within %(within)s") % {"verb": _(VERBS[sla.verb]), "within": within})
        for issues, within in said
        if within
    ]


@login_not_required
def programs(request: HttpRequest) -> HttpResponse:
    """All programs."""
    return render(request, "submissions/programs.html", {"products": by_product()})


def by_product() -> list[tuple[str, list[Program]]]:
    """Programs under their products: first the product whose partners are of several kinds, then by name."""
    found: dict[str, list[Program]] = {}
    for each in PROGRAMS.values():
        found.setdefault(each.product, []).append(each)
    return sorted(found.items(), key=lambda pair: (not any(p.partners for p in pair[1]), pair[0]))


@login_not_required
def program(request: HttpRequest, key: str) -> HttpResponse:
    """Everything that a program publishes, in one of its editions."""
    found = program_or_404(key)
    edition = edition_or_404(found, request.GET.get("edition", ""))
    return render(request, "submissions/program.html", program_context(found, edition, request.user))


def program_context(found: Program, edition: Edition, user: Any) -> dict[str, Any]:
    entered = entering_edition(found.key)
    return {
        "program": found,
        "edition": edition,
        "editions": list(reversed(found.editions)),
        "is_entered": edition == entered,
        "entered": entered,
        "kind": _(KINDS.get(found.partners, "")),
        "path": [PathStep(step.name, "next", f"#step-{step.key}", "") for step in edition.steps],
        "steps": [(step, asked(edition, step.requirements)) for step in edition.steps],
        "tiers": tier_rows(edition),
        "sla": sla_rows(edition.sla),
        "at_once": begins_at_once(user),
    }


def tier_rows(edition: Edition) -> list[tuple[Tier, list[Asked], int]]:
    """Each tier, what it asks beyond the path, and how many of its requirements the path holds."""
    path_ids = {r.id for r in edition.requirements()}
    rows = []
    for tier in edition.tiers:
        more = tuple(r for r in tier.requirements if r.id not in path_ids)
        rows.append((tier, asked(edition, more), len(tier.requirements) - len(more)))
    return rows


def begins_at_once(user: Any) -> bool:
    """Whether it is clear for which company a person begins, so that a button can make the draft."""
    return bool(user.is_authenticated) and len(companies_of(user)) == 1


@login_not_required
@vary_on_headers("HX-Request")
def chooser(request: HttpRequest) -> HttpResponse:
    """Which program is mine? Questions in the partner's words; the answers stand in the address."""
    chosen = [PROGRAMS[key] for key in dict.fromkeys(request.GET.getlist("yes")) if key in PROGRAMS]
    kinds = list(dict.fromkeys(p.partners for p in chosen if p.partners))
    context = {
        "products": by_product(),
        "chosen": chosen,
        "chosen_keys": [p.key for p in chosen],
        "kinds": [_(KINDS.get(kind, kind)) for kind in kinds],
        "is_both": len(kinds) > 1,
        "asked": bool(request.GET),
        "at_once": begins_at_once(request.user),
    }
    fragment = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    return render(request, f"submissions/chooser.html{'#answer' if fragment else ''}", context)


urlpatterns = [
    path("start/", chooser, name="start"),
    path("programs/", programs, name="programs"),
    path("programs/<slug:key>/", program, name="program"),
]
