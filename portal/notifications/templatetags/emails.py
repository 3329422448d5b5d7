"""Tags and filters of the email sources. They write HTML where values are escaped, Markdown in the text part."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.formats import date_format

register = template.Library()
MOMENT_FORMAT = "D, M j, g:i A T"
MOMENT_FORMAT_WITH_YEAR = "D, M j, Y, g:i A T"
DAY_FORMAT = "D, M j"


@register.filter(expects_localtime=True)
def moment(value: datetime | None, reference: datetime | None = None) -> str:
    """Format a time as "Tue, Apr 14, 2:10 PM EDT", with the year if it isn't that of the reference."""
    if not value:
        return ""
    has_year = value.year != reference.year if reference else False
    return date_format(value, MOMENT_FORMAT_WITH_YEAR if has_year else MOMENT_FORMAT).rstrip()


@register.filter(expects_localtime=True)
def day(value: date | datetime | None) -> str:
    """Format a day as "Tue, Apr 14"."""
    return date_format(value, DAY_FORMAT) if value else ""


@register.simple_tag(takes_context=True)
def quote(context: Context, text: str, label: str = "") -> str:
    """Render a person's text as a quotation after its label, or nothing for a blank text."""
    if not text:
        return ""
    if context.autoescape:
        return render_to_string("notifications/email/quote.html", {"text": text, "label": label})
    return "\n\n".join(
        part for part in (str(label), "\n".join(f"> {line}".rstrip() for line in text.splitlines())) if part
    )


@register.simple_tag(takes_context=True)
def data_table(context: Context, headers: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write a table whose first column is text and whose other columns are figures."""
    header_cells = list(headers)
    body = [list(row) for row in rows]
    if context.autoescape:
        return render_to_string("notifications/email/table.html", {"headers": header_cells, "rows": body})
    lines = [header_cells, ["---", *["---:"] * (len(header_cells) - 1)], *body]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


@register.simple_tag(takes_context=True)
def bar_chart(context: Context, rows: Iterable[tuple[str, int, str]]) -> str:
    """Write a bar for each label, percentage, and description; a list of labels and descriptions in the text part."""
    bars = list(rows)
    if context.autoescape:
        return render_to_string("notifications/email/bars.html", {"bars": bars})
    return "\n".join(f"- {label}: {description}" for label, _, description in bars)
