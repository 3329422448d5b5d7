"""Rows of the review queue, rendered from one format string because template lookups would dominate the page time."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from html import escape

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.core.value_types import JsonObject
from portal.ui.components.markup import register
from portal.ui.components.moments import due, when

ROW_TEMPLATE = (
    '<tr{mine} data-item="{item}" data-kind="{kind}"><td>{box}</td>'
    '<td class="main">{mark}<a href="{href}">{name}</a><span class="sub">{company}</span>{reasons}</td>'
    '<td class="nowrap">{kind_label}</td>'
    '<td>{program} <span class="muted">{position}</span></td>'
    '<td class="nowrap"><span aria-hidden="true" title="{checks_label}">{checks}</span>'
    '<span class="visually-hidden">{checks_label}</span></td>'
    '<td>{reviewer}{button}</td><td class="nowrap">{age}</td><td class="end nowrap">{moment}</td></tr>'
)
BOX_TEMPLATE = '<input type="checkbox" name="row" value="{uuid}" form="queue-form" aria-label="{select}"{checked}>'
UNVIEWED_TEMPLATE = '<span class="unviewed-mark" title="{label}"></span><span class="visually-hidden">{label}</span> '
BUTTON_TEMPLATE = (
    ' <button type="submit" class="button button-secondary button-small" form="queue-form"'
    ' formaction="{claim_href}">{claim}'
    '<span class="visually-hidden"> {name}</span></button>'
)
ESCAPED_FIELDS = ("name", "program", "position", "reviewer", "item", "kind_label")
SAFE_FIELDS = ("uuid", "kind", "href", "checks", "checks_label", "claim", "claim_href")


@register.simple_tag
def queue_rows(rows: Iterable[JsonObject], *, now: datetime, selected: Collection[str] = ()) -> SafeString:
    """Render the rows of integrations.reviews.selectors.queue_rows and escape user input.

    `selected` holds the UUIDs of the selected rows.
    """
    labels = {
        "unviewed": UNVIEWED_TEMPLATE.format(label=_("Not viewed yet")),
        "reasons": _("Reasons"),
        "select": _("Select %(name)s"),
        "no_due_date": _("No due date"),
    }
    return SafeString("".join([_render_row(row, now, row["uuid"] in selected, labels) for row in rows]))


def _render_row(row: JsonObject, now: datetime, is_selected: bool, labels: Mapping[str, str]) -> str:
    values = {name: escape(row[name]) for name in ESCAPED_FIELDS} | {name: row[name] for name in SAFE_FIELDS}
    reasons = "".join([f"<li>{escape(reason)}</li>" for reason in row["reasons"]])
    selection = {"select": labels["select"] % {"name": values["name"]}, "checked": " checked" if is_selected else ""}
    return ROW_TEMPLATE.format(
        **values,
        mine=' class="is-mine"' if row["is_mine"] else "",
        box=BOX_TEMPLATE.format(**values, **selection) if row["uuid"] else "",
        mark=labels["unviewed"] if row["is_unviewed"] else "",
        company=escape(" · ".join(filter(None, (row["company"], row["changes"])))),
        reasons=f'<ul class="chips" aria-label="{labels["reasons"]}">{reasons}</ul>' if reasons else "",
        button=BUTTON_TEMPLATE.format(**values) if row["claim"] else "",
        age=when(row["since"], form="age", now=now) if row["since"] else "",
        moment=due(row["due"], now=now) or labels["no_due_date"],
    )
