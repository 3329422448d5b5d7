"""Rendering of program editions as JSON values and as text."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from integrations.programs.requirements import Requirement
from integrations.programs.schema import Category, Edition, Program, Step
from portal.ui.components.markup import render

QUESTION_FIELDS = {"fields", "statement", "agreement", "meeting_items", "meeting_hints", "accept"}
OMITTED_FIELDS: Mapping[type, set[str]] = {
    Edition: {"date", "resubmission", "upcoming", "badge_label"},
    Step: {"additional_stages", "diagram", "review"},
    Requirement: QUESTION_FIELDS | {"permanent", "show_on_listing", "confirms", "after_findings"},
    Category: {"plugin_type"},
}


def describe_edition(program: Program, edition: Edition, *, in_force: bool) -> dict[str, object]:
    """Return the content of an edition as JSON values, named like the fields of the dataclasses."""
    names = {name: getattr(program, name) for name in ("key", "name", "product", "partner_type")}
    return names | {"edition": edition.date, "in_force": in_force} | _describe_fields(edition)


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
    return render("programs/edition.txt", description)
