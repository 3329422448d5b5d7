"""Rows of the review queue, rendered from one format string because template lookups would dominate the page time."""

from collections.abc import Iterable
from datetime import datetime
from html import escape

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.core.value_types import JsonObject
from portal.ui.components.markup import register
from portal.ui.components.moments import due, when

ROW_TEMPLATE = (
    '<tr{mine}><td class="main"><a href="{href}">{name}</a> <span class="muted">{company}</span>{reasons}</td>'
    '<td>{program} <span class="muted">{position}</span></td>'
    '<td class="nowrap"><span aria-hidden="true" title="{checks_label}">{checks}</span>'
    '<span class="visually-hidden">{checks_label}</span></td>'
    '<td>{reviewer}{button}</td><td class="end nowrap">{moment}</td></tr>'
)
BUTTON_TEMPLATE = (
    ' <button type="submit" class="button button-secondary button-small" formaction="{claim_href}">{claim}'
    '<span class="visually-hidden"> {name}</span></button>'
)
ESCAPED_FIELDS = ("name", "company", "program", "position", "reviewer")
SAFE_FIELDS = ("href", "checks", "checks_label", "claim", "claim_href")


@register.simple_tag
def queue_rows(rows: Iterable[JsonObject], *, now: datetime) -> SafeString:
    """Render the rows of integrations.reviews.selectors.queue and escape user input."""
    return SafeString("".join([_render_row(row, now) for row in rows]))


def _render_row(row: JsonObject, now: datetime) -> str:
    values = {name: escape(row[name]) for name in ESCAPED_FIELDS} | {name: row[name] for name in SAFE_FIELDS}
    reasons = "".join([f"<li>{escape(reason)}</li>" for reason in row["reasons"]])
    return ROW_TEMPLATE.format(
        **values,
        mine=' class="is-mine"' if row["is_mine"] else "",
        reasons=f'<ul class="chips" aria-label="{_("Reasons")}">{reasons}</ul>' if reasons else "",
        button=BUTTON_TEMPLATE.format(**values) if row["claim"] else "",
        moment=due(row["due"], now=now) or when(row["since"], form="relative", now=now),
    )
