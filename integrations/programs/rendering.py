"""What does an edition of a program say, as plain values and as a table to read?"""

from dataclasses import asdict
from typing import Any

from integrations.programs.schema import Category, Edition, Licence, Link, Program, Requirement, Sla, Step, Tier

WIDTHS = (10, 52, 8, 12)


def describe(program: Program, edition: Edition) -> dict[str, Any]:
    """Everything of one edition as JSON values, under the names of the dataclasses."""
    return {
        "key": program.key,
        "name": program.name,
        "product": program.product,
        "partners": program.partners,
        "edition": edition.date,
        "title": edition.title,
        "source": edition.source,
        "steps": [_step(step) for step in edition.steps],
        "groups": [asdict(group) for group in edition.groups],
        "licences": {
            "summary": edition.licences.summary,
            "languages": list(edition.licences.languages),
            "lines": [_licence(line) for line in edition.licences.lines],
        },
        "mailbox": edition.mailbox,
        "contact": edition.contact,
        "review_days": edition.review_days,
        "sla": _sla(edition.sla),
        "categories": [_category(category) for category in edition.categories],
        "tiers": [_tier(tier) for tier in edition.tiers],
        "listing": edition.listing,
        "removal": edition.removal,
        "offerings": list(edition.offerings),
        "links": _links(edition.links),
        "agencies": [asdict(agency) for agency in edition.agencies],
        "badges": list(edition.badges),
        "badge_terms": edition.badge_terms,
        "benefits": list(edition.benefits),
        "renamed": {date: dict(names) for date, names in edition.renamed.items()},
    }


def _links(links: tuple[Link, ...]) -> list[dict[str, str]]:
    return [asdict(link) for link in links]


def _step(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "key": step.key,
        "stage": str(step.stage),
        "stages": [str(stage) for stage in step.stages],
        "summary": step.summary,
        "requirements": [_requirement(requirement) for requirement in step.requirements],
        "links": _links(step.links),
    }


def _requirement(requirement: Requirement) -> dict[str, Any]:
    needed_for = requirement.needed_for
    return {
        "id": requirement.id,
        "title": requirement.title,
        "who": str(requirement.who),
        "kind": str(requirement.kind),
        "needed_for": str(needed_for) if needed_for else None,
        "optional": requirement.optional,
        "group": requirement.group,
        "scope": str(requirement.scope),
        "why": requirement.why,
        "categories": list(requirement.categories),
        "checks": list(requirement.checks),
        "links": _links(requirement.links),
    }


def _licence(line: Licence) -> dict[str, Any]:
    return {"published": line.published, "allow": list(line.allow), "ask": list(line.ask), "note": line.note}


def _sla(sla: Sla) -> dict[str, Any]:
    return {
        "verb": str(sla.verb),
        "summary": sla.summary,
        "critical": asdict(sla.critical) if sla.critical else None,
        "other": asdict(sla.other) if sla.other else None,
    }


def _category(category: Category) -> dict[str, Any]:
    return {
        "key": category.key,
        "name": category.name,
        "meaning": category.meaning,
        "links": _links(category.links),
    }


def _tier(tier: Tier) -> dict[str, Any]:
    return {
        "key": tier.key,
        "name": tier.name,
        "meaning": tier.meaning,
        "namespace": tier.namespace,
        "granted_at_release": tier.granted_at_release,
        "on_request": tier.on_request,
        "requirements": [_requirement(requirement) for requirement in tier.requirements],
        "groups": [asdict(group) for group in tier.groups],
    }


def table(said: dict[str, Any]) -> str:
    """The answer of describe() as lines of text, for people."""
    return "\n".join([*_head(said), *_path(said), *_rules(said), *_lists(said)])


def _head(said: dict[str, Any]) -> list[str]:
    title = f"{said['name']} ({said['key']}), edition {said['edition']}"
    return [title, "=" * len(title), said["title"], f"Source: {said['source']}", ""]


def _path(said: dict[str, Any]) -> list[str]:
    lines = []
    for number, step in enumerate(said["steps"], start=1):
        lines += [f"{number}. {step['name']}  [{', '.join(step['stages'])}]  {step['summary']}"]
        lines += [_row(requirement) for requirement in step["requirements"]]
        lines += [""]
    return lines


def _row(requirement: dict[str, Any]) -> str:
    before = f"before {requirement['needed_for']}" if requirement["needed_for"] else ""
    remarks = [
        before,
        "once per company" if requirement["scope"] == "partner" else "",
        "optional" if requirement["optional"] else "",
        f"any of {requirement['group']}" if requirement["group"] else "",
        f"only {', '.join(requirement['categories'])}" if requirement["categories"] else "",
    ]
    cells = (requirement["id"], requirement["title"], requirement["who"], requirement["kind"])
    row = " ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))
    return f"   {row} {'; '.join(filter(None, remarks))}".rstrip()


def _rules(said: dict[str, Any]) -> list[str]:
    sla = said["sla"]
    figures = ", ".join(f"{name} {_figure(sla[name])}" for name in ("critical", "other") if sla[name])
    licences = said["licences"]
    return [
        f"Mailbox     {said['mailbox']}  (contact: {said['contact']})",
        f"SLA         {sla['verb']}: {figures or 'no figures'}",
        f"            {sla['summary']}",
        f"Listing     {said['listing']}",
        f"Removal     {said['removal']}",
        f"Offerings   {', '.join(said['offerings'])}",
        f"Licences    {licences['summary']}",
        *(f"            {_licence_row(line)}" for line in licences["lines"]),
    ]


def _figure(target: dict[str, Any]) -> str:
    figure = f"{target['hours']} h" if target["hours"] else f"{target['business_days']} business days"
    return f"ideally {figure}" if target["ideally"] else figure


def _licence_row(line: dict[str, Any]) -> str:
    ask = f"  ask: {', '.join(line['ask'])}" if line["ask"] else ""
    return f"{line['published'].ljust(40)} {', '.join(line['allow']) or 'none for certain'}{ask}"


def _lists(said: dict[str, Any]) -> list[str]:
    lines = ["Categories"]
    lines += [f"            {c['name'].ljust(40)} {c['meaning']}" for c in said["categories"]]
    lines += ["Tiers"]
    for tier in said["tiers"]:
        lines += [f"            {tier['name'].ljust(20)} {_how(tier)}{tier['meaning']}"]
        lines += [f"         {_row(requirement)}" for requirement in tier["requirements"]]
    if said["agencies"]:
        lines += ["Agencies"]
        lines += [f"            {a['name'].ljust(20)} {a['email']}  {a['site']}" for a in said["agencies"]]
    return [*lines, ""]


def _how(tier: dict[str, Any]) -> str:
    if tier["granted_at_release"]:
        return "(at release) "
    return "(on request) " if tier["on_request"] else ""
