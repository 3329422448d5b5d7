"""Type of parameters and fields with a closed set of values, which refuses others and names the set."""

from collections.abc import Iterable
from typing import Annotated

from django.forms import Field
from django.utils.choices import flatten_choices
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from integrations.programs.registry import PROGRAMS


class OneOf:
    """Annotation of a text that must be one of `values`. The API document lists them.

    Unlike Literal, it takes the keys of a registry.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self.values = list(dict.fromkeys(values))

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(self.values)


class FilterBy(OneOf):
    """Annotation of a filter by one of `values`. An empty text selects everything."""

    def __init__(self, values: Iterable[str]) -> None:
        super().__init__(["", *values])


EDITIONS = [edition for program in PROGRAMS.values() for edition in program.editions]
ProgramFilter = Annotated[str, FilterBy(PROGRAMS)]
CategoryFilter = Annotated[str, FilterBy(category.key for edition in EDITIONS for category in edition.categories)]
TierFilter = Annotated[str, FilterBy(tier.key for edition in EDITIONS for tier in edition.tiers)]


def list_choice_values(field: Field) -> list[str]:
    """Return the values of a choice field, also those in groups."""
    choices: Iterable[tuple[object, object]] = flatten_choices(field.choices)  # type: ignore[attr-defined]
    return [str(value) for value, _label in choices]
