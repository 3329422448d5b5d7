"""Texts of a report that depend on its period, in the active language."""

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from portal.core.content_files import load_content
from portal.core.periods import Period, parse_period
from portal.core.value_types import JsonObject

CONTENT = load_content("portal/reports/content/period_texts.yaml", JsonObject)


def build_texts(period: Period) -> dict[str, str]:
    """Return the texts by their key. `label` is the name of the period."""
    return {key: build_text(period, key) for key in CONTENT["texts"]}


def build_text(period: Period, key: str) -> str:
    """Return the text with a key."""
    return _(CONTENT["texts"][key][period.kind]) % {
        "number": period.number,
        "year": period.year,
        "month": date_format(period.first_day, "YEAR_MONTH_FORMAT"),
        "short_month": date_format(period.first_day, "M Y"),
    }


def describe_period(name: str, key: str = "label") -> str:
    """Return the label of a period by its name, such as "April 2026" for "2026-04"."""
    return build_text(parse_period(name), key)
