"""Rendering of program editions as JSON values and as text."""

from collections.abc import Mapping
from dataclasses import asdict

from integrations.programs.requirements import Requirement, ResourceLink
from integrations.programs.schema import Category, Edition, LicenseRule, Program, Sla, Step, Tier
from portal.core.value_types import JsonObject

COLUMN_WIDTHS = (10, 52, 8, 12)


def describe_edition(program: Program, edition: Edition) -> dict[str, object]:
    """Return the content of an edition as JSON values, named like the fields of the dataclasses."""
    return {
        "key": program.key,
        "name": program.name,
        "product": program.product,
        "partner_type": program.partner_type,
        "edition": edition.date,
        "title": edition.title,
        "source": edition.source,
        "steps": [_describe_step(step) for step in edition.steps],
        "groups": [asdict(group) for group in edition.groups],
        "licenses": {
            "summary": edition.licenses.summary,
            "languages": list(edition.licenses.languages),
            "rules": [_describe_license(line) for line in edition.licenses.rules],
        },
        "mailbox": edition.mailbox,
        "contact": edition.contact,
        "review_days": edition.review_days,
        "sla": _describe_sla(edition.sla),
        "categories": [_describe_category(category) for category in edition.categories],
        "tiers": [_describe_tier(tier) for tier in edition.tiers],
        "listing": edition.listing,
        "removal": edition.removal,
        "offerings": list(edition.offerings),
        "links": _describe_links(edition.links),
        "agencies": [asdict(agency) for agency in edition.agencies],
        "badges": list(edition.badges),
        "badge_terms": edition.badge_terms,
        "benefits": list(edition.benefits),
        "renames": {date: dict(names) for date, names in edition.renames.items()},
    }


def _describe_links(links: tuple[ResourceLink, ...]) -> list[dict[str, str]]:
    return [asdict(link) for link in links]


def _describe_step(step: Step) -> dict[str, object]:
    return {
        "name": step.name,
        "key": step.key,
        "stage": str(step.stage),
        "stages": [str(stage) for stage in step.stages],
        "summary": step.summary,
        "requirements": [_describe_requirement(requirement) for requirement in step.requirements],
        "links": _describe_links(step.links),
    }


def _describe_requirement(requirement: Requirement) -> dict[str, object]:
    needed_for = requirement.needed_for
    return {
        "id": requirement.id,
        "title": requirement.title,
        "responsible_party": str(requirement.responsible_party),
        "kind": str(requirement.kind),
        "needed_for": str(needed_for) if needed_for else None,
        "optional": requirement.optional,
        "group": requirement.group,
        "scope": str(requirement.scope),
        "reason": requirement.reason,
        "categories": list(requirement.categories),
        "checks": list(requirement.checks),
        "links": _describe_links(requirement.links),
    }


def _describe_license(line: LicenseRule) -> dict[str, object]:
    return {
        "published": line.published,
        "allow": list(line.allow),
        "manual_review": list(line.manual_review),
        "note": line.note,
    }


def _describe_sla(sla: Sla) -> dict[str, object]:
    return {
        "target_type": str(sla.target_type),
        "summary": sla.summary,
        "critical": asdict(sla.critical) if sla.critical else None,
        "other": asdict(sla.other) if sla.other else None,
    }


def _describe_category(category: Category) -> dict[str, object]:
    return {
        "key": category.key,
        "name": category.name,
        "description": category.description,
        "links": _describe_links(category.links),
    }


def _describe_tier(tier: Tier) -> dict[str, object]:
    return {
        "key": tier.key,
        "name": tier.name,
        "description": tier.description,
        "namespace": tier.namespace,
        "granted_at_release": tier.granted_at_release,
        "on_request": tier.on_request,
        "requirements": [_describe_requirement(requirement) for requirement in tier.requirements],
        "groups": [asdict(group) for group in tier.groups],
    }


def format_edition(description: dict[str, object]) -> str:
    """Format the result of `describe_edition` as text."""
    return "\n".join(
        [
            *_format_heading(description),
            *_format_path(description),
            *_format_rules(description),
            *_format_lists(description),
        ]
    )


def _format_heading(description: JsonObject) -> list[str]:
    title = f"{description['name']} ({description['key']}), edition {description['edition']}"
    return [title, "=" * len(title), description["title"], f"Source: {description['source']}", ""]


def _format_path(description: JsonObject) -> list[str]:
    lines = []
    for number, step in enumerate(description["steps"], start=1):
        lines += [f"{number}. {step['name']}  [{', '.join(step['stages'])}]  {step['summary']}"]
        lines += [_format_requirement(requirement) for requirement in step["requirements"]]
        lines += [""]
    return lines


def _format_requirement(requirement: JsonObject) -> str:
    deadline = f"before {requirement['needed_for']}" if requirement["needed_for"] else ""
    remarks = [
        deadline,
        "once per company" if requirement["scope"] == "partner" else "",
        "optional" if requirement["optional"] else "",
        f"any of {requirement['group']}" if requirement["group"] else "",
        f"only {', '.join(requirement['categories'])}" if requirement["categories"] else "",
    ]
    cells = (requirement["id"], requirement["title"], requirement["responsible_party"], requirement["kind"])
    row = " ".join(cell.ljust(width) for cell, width in zip(cells, COLUMN_WIDTHS, strict=True))
    return f"   {row} {'; '.join(filter(None, remarks))}".rstrip()


def _format_rules(description: JsonObject) -> list[str]:
    sla = description["sla"]
    figures = ", ".join(f"{name} {_format_target(sla[name])}" for name in ("critical", "other") if sla[name])
    licenses = description["licenses"]
    return [
        f"Mailbox     {description['mailbox']}  (contact: {description['contact']})",
        f"SLA         {sla['target_type']}: {figures or 'no targets'}",
        f"            {sla['summary']}",
        f"Listing     {description['listing']}",
        f"Removal     {description['removal']}",
        f"Offerings   {', '.join(description['offerings'])}",
        f"Licenses    {licenses['summary']}",
        *(f"            {_format_license(line)}" for line in licenses["rules"]),
    ]


def _format_target(target: Mapping[str, object]) -> str:
    figure = f"{target['hours']} h" if target["hours"] else f"{target['business_days']} business days"
    return f"ideally {figure}" if target["best_effort"] else figure


def _format_license(line: JsonObject) -> str:
    review = f"  manual review: {', '.join(line['manual_review'])}" if line["manual_review"] else ""
    return f"{line['published'].ljust(40)} {', '.join(line['allow']) or 'none without review'}{review}"


def _format_lists(description: JsonObject) -> list[str]:
    lines = ["Categories"]
    lines += [f"            {c['name'].ljust(40)} {c['description']}" for c in description["categories"]]
    lines += ["Tiers"]
    for tier in description["tiers"]:
        lines += [f"            {tier['name'].ljust(20)} {_format_tier_grant(tier)}{tier['description']}"]
        lines += [f"         {_format_requirement(requirement)}" for requirement in tier["requirements"]]
    if description["agencies"]:
        lines += ["Agencies"]
        lines += [f"            {a['name'].ljust(20)} {a['email']}  {a['site']}" for a in description["agencies"]]
    return [*lines, ""]


def _format_tier_grant(tier: Mapping[str, object]) -> str:
    if tier["granted_at_release"]:
        return "(at release) "
    return "(on request) " if tier["on_request"] else ""
