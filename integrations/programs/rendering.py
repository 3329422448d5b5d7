"""Rendering of program editions as JSON values and as text."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from integrations.programs.requirements import Requirement
from integrations.programs.schema import Category, Edition, Program, Step
from integrations.programs.sla_policy import TargetType
from portal.core.value_types import JsonObject

COLUMN_WIDTHS = (10, 52, 8, 12)
QUESTION_FIELDS = {"fields", "statement", "agreement", "meeting_items", "meeting_hints", "accept"}
OMITTED_FIELDS: Mapping[type, set[str]] = {
    Edition: {"date", "resubmission", "upcoming", "badge_label"},
    Step: {"additional_stages", "diagram", "review"},
    Requirement: QUESTION_FIELDS | {"permanent", "show_on_listing", "confirms", "after_findings"},
    Category: {"plugin_type"},
}


def describe_edition(program: Program, edition: Edition) -> dict[str, object]:
    """Return the content of an edition as JSON values, named like the fields of the dataclasses."""
    names = {name: getattr(program, name) for name in ("key", "name", "product", "partner_type")}
    return names | {"edition": edition.date} | _describe_fields(edition)


def _describe_fields(part: Any) -> dict[str, object]:
    names = [each.name for each in fields(part) if each.name not in OMITTED_FIELDS.get(type(part), ())]
    description = {name: _describe(getattr(part, name)) for name in names}
    return description | {"stages": _describe(part.stages)} if isinstance(part, Step) else description


def _describe(value: object) -> object:
    """Return a value of an edition as a JSON value."""
    if is_dataclass(value):
        return _describe_fields(value)
    if isinstance(value, tuple):
        return [_describe(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _describe(each) for key, each in value.items()}
    return str(value) if isinstance(value, str) else value


def format_edition(description: dict[str, object]) -> str:
    """Format the result of `describe_edition` as text."""
    parts = (_format_heading, _format_path, _format_rules, _format_lists)
    return "\n".join(line for format_part in parts for line in format_part(description))


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
    licenses = description["licenses"]
    return [
        f"Mailbox     {description['mailbox']}  (contact: {description['contact']})",
        *(f"            {_format_contact(contact)}" for contact in description["contacts"]),
        f"Calendar    {_format_calendar(description['calendar'])}",
        f"SLA         {_format_targets(sla)}",
        f"            {sla['summary']}",
        f"Listing     {description['listing']}",
        f"Removal     {description['removal']}",
        f"Offerings   {', '.join(description['offerings'])}",
        f"Licenses    {licenses['summary']}",
        *(f"            {_format_license(line)}" for line in licenses["rules"]),
    ]


def _format_contact(contact: Mapping[str, str]) -> str:
    return f"{contact['purpose']}: {'  '.join(filter(None, (contact['email'], contact['url'])))}"


def _format_calendar(calendar: JsonObject) -> str:
    region = "-".join(filter(None, (calendar["country"], calendar["subdivision"])))
    holidays = [f"public holidays of {region}" if region else "no public holidays"]
    holidays += [f"{day['date']} {day['name']}" for day in calendar["additional_holidays"]]
    return f"{calendar['zone']}; {', '.join(calendar['workdays'])}; {', '.join(holidays)}"


def _format_targets(sla: JsonObject) -> str:
    """Return "resolve: critical 48 h, other 5 business days" for each target type, and the time zone if stated."""
    parts = []
    for target_type in TargetType:
        targets = sla[target_type] or {}
        figures = [f"{severity} {_format_target(target)}" for severity, target in targets.items() if target]
        parts += [f"{target_type}: {', '.join(figures)}"] if figures else []
    zone = f" ({sla['zone']})" if sla["zone"] else ""
    return ("; ".join(parts) or "no targets") + zone


def _format_target(target: Mapping[str, object]) -> str:
    figure = f"{target['hours']} h" if target["hours"] else f"{target['business_days']} business days"
    return f"ideally {figure}" if target["binding"] == "ideal" else figure


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
