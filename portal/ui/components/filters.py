"""Filters above a list. On a phone, they fold into a button and the filters that are active."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict
from django.template import Context
from django.utils import timezone
from django.utils.safestring import SafeString

from portal.core.form_fields import FilterField
from portal.ui.components.markup import EMPTY, register, render
from portal.ui.components.moments import format_day

MIN_FIELDS = 3  # of a form that folds


class ActiveFilter(NamedTuple):
    """Filter with a value, in words, and the parameters that its removal removes from the URL."""

    parameters: tuple[str, ...]
    label: str
    value: str


class FilterSummary(NamedTuple):
    """Active filters of a form, and whether it shows an error."""

    active: tuple[ActiveFilter, ...]
    has_errors: bool


def summarize_filters(form: forms.BaseForm) -> FilterSummary:
    """Return the active filters of a form with data. Invalid values and the order of the list are none.

    A form can have `dependent_filters`: by the name of a filter, the filters that are removed with it.
    """
    has_errors = bool(form.errors)
    dependents: Mapping[str, tuple[str, ...]] = getattr(form, "dependent_filters", {})
    active = tuple(
        ActiveFilter((name, *dependents.get(name, ())), str(form[name].label), _describe(form.fields[name], value))
        for name, value in form.cleaned_data.items()
        if value and getattr(form.fields[name], "empty_label", "") is not None
    )
    return FilterSummary(active, has_errors)


def _describe(field: forms.Field, value: object) -> str:
    """Return a value in the words of the form."""
    if isinstance(value, date):
        return format_day(value, timezone.now())
    options = _list_options(field) if isinstance(field, FilterField) else ()
    return next((label for key, label in options if key == value), str(value))


def _list_options(field: FilterField) -> Iterator[tuple[object, str]]:
    """Return the options of a choice without their groups."""
    choices: Any = field.choices
    for key, label in choices:
        if isinstance(label, (list, tuple)):
            yield from ((option, str(name)) for option, name in label)
        else:
            yield key, str(label)


@register.simple_tag(takes_context=True)
def filter_fold(context: Context, filters: forms.BaseForm | FilterSummary, *, swap: bool = False) -> SafeString:
    """Render the button that opens the filters on a phone, and a link for each active filter that removes it.

    It is the first element of a form.filters, and folds the other elements. A form of few fields doesn't need it. With
    `swap`, htmx replaces it.
    """
    if isinstance(filters, forms.BaseForm):
        if len(filters.fields) < MIN_FIELDS:
            return EMPTY
        filters = summarize_filters(filters)
    query = context["request"].GET
    links = [(each.label, each.value, _build_query_without(query, each.parameters)) for each in filters.active]
    return render("ui/components/filter_fold.html", {"links": links, "is_open": filters.has_errors, "swap": swap})


def _build_query_without(query: QueryDict, parameters: tuple[str, ...]) -> str:
    """Return a query without parameters, from the first page of the list."""
    remaining = query.copy()
    for name in (*parameters, "page"):
        remaining.pop(name, None)
    return f"?{remaining.urlencode()}"
