"""Presentation of stored reports for emails, pages, CSV, and JSON, without database access.

Pages and emails use the language of the reader. CSV and JSON are never translated.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_noop, ngettext, override

from integrations.sla.formatting import format_hours, format_percent
from integrations.sla.presenters import SIDE_LABELS
from portal.core.content_files import load_content
from portal.core.exports import BYTE_ORDER_MARK, escape_formula, format_lines
from portal.core.periods import parse_period
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import JsonObject
from portal.reports.period_texts import build_text, build_texts, describe_period
from portal.reports.scopes import get_display_name
from portal.reports.summaries import (
    build_subject,
    build_verdict,
    describe_as_of,
    describe_next_action,
    describe_required_action,
)

CONTENT = load_content("portal/reports/content/report.yaml", JsonObject)
HEADLINE_KEYS = ("share", "breached", "overdue", "at_risk")  # of the first screen of the email
SEVERITY_LABELS = {"critical": gettext_noop("critical"), "other": gettext_noop("not critical")}
TARGET_LABELS = {
    "respond": gettext_noop("first response"),
    "resolve": gettext_noop("resolution"),
}


def build_current_context(figures: JsonObject, now: datetime, *, is_external: bool = False) -> dict[str, object]:
    """Return the context of a report as read now. `is_over`: its open issues and due dates are in the past.

    `is_external`: the reader has no account, so issues link to their repository.
    """
    current = describe_as_of(figures, now)
    if is_external:
        current = hide_confidential_changes(current) | {
            name: [row | {"page": row["url"]} for row in figures[name]]
            for name in ("overdue_issues", "due_soon_issues")
        }
    return build_report_context(current) | {"is_past": figures["is_past"], "is_over": current["is_past"]}


def hide_confidential_changes(figures: JsonObject) -> JsonObject:
    """Return the figures without the changes of listing statuses that the public doesn't see, and without names."""
    changes = [row | {"actor": ""} for row in figures["listing_changes"] if row.get("is_public")]
    return figures | {"listing_changes": changes}


def build_report_context(figures: JsonObject) -> dict[str, object]:
    """Return the template context of a report. Times are local times of the report's time zone."""
    zone = ZoneInfo(figures["zone"])
    period = parse_period(figures["period"])
    texts = build_texts(period)
    previous_label = build_text(period.previous, "short_label")
    totals = figures["totals"]
    previous_totals = figures["previous_totals"]
    rows = {key: _build_figure_row(title, key, totals, previous_totals) for title, key in _list_figure_titles(figures)}
    return {
        **figures,
        "texts": texts,
        "label": texts["label"],
        "name": get_display_name(figures["scope"], figures["name"]),
        "previous_label": previous_label,
        "subject": build_subject(figures),
        "verdict": build_verdict(figures),
        "next_action": describe_next_action(figures),
        # What waits in the portal is current, and a past report says nothing about it.
        "is_without_action": not (figures["is_past"] or describe_required_action(figures)),
        "start": _parse_day(figures["start"], zone),
        "end": _parse_day(figures["end"], zone) - timedelta(days=1),
        "data_up_to": _parse_moment(figures["data_up_to"], zone),
        "created_at": _parse_moment(figures["created_at"], zone),
        "figures": list(rows.values()),
        "figure_headers": (_("Metric"), texts["short_label"], previous_label),
        "headline_rows": [row for key, row in rows.items() if key in HEADLINE_KEYS],
        "figure_rows": [row for key, row in rows.items() if key not in HEADLINE_KEYS],
        "trend_bars": [_build_trend_bar(row) for row in figures.get("trend", ())],  # older reports have none
        **_build_issue_context(figures, texts, zone),
        "program_figures": [
            (row["name"], format_percent(row["share"]), row["breached"], row["overdue"], row["settled"])
            for row in figures["programs"]
        ],
        "reviews_on_time": _("%(on_time)s of %(decided)s") % figures["review_record"],
    }


def _build_issue_context(figures: JsonObject, texts: Mapping[str, str], zone: ZoneInfo) -> dict[str, object]:
    totals = figures["totals"]
    has_ended = figures["was_created_late"] or figures["is_past"]
    return {
        "overdue_title": texts["most_overdue_at_end"] if has_ended else _("Most overdue issues"),
        "overdue_issues": [_build_row(row, zone) for row in figures["overdue_issues"]],
        "more_overdue_count": max(0, totals["overdue"] + totals["data_incomplete"] - len(figures["overdue_issues"])),
        "due_title": texts["due_after" if figures["is_past"] else "due"],
        "due_soon_issues": [_build_row(row, zone) for row in figures["due_soon_issues"]],
        "more_due_soon_count": max(0, figures["due_soon_count"] - len(figures["due_soon_issues"])),
    }


def _list_figure_titles(figures: JsonObject) -> list[tuple[str, str]]:
    """Return the titles in the active language and the keys of the figures. Older reports have fewer."""
    # Open clocks are counted at the end of the period, so these titles never say "now".
    texts = build_texts(parse_period(figures["period"]))
    rows = [row for row in CONTENT["figures"] if row["key"] in figures["totals"]]
    return [(texts[row["text"]] if "text" in row else _(row["title"]), row["key"]) for row in rows]


def render_json(figures: JsonObject) -> str:
    """Return the stored metrics as JSON, identical every time."""
    return json.dumps(figures, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def render_csv(figures: JsonObject) -> str:
    """Return the report as CSV with several tables, separated by blank lines. Formulas are escaped."""
    tables = [
        _build_figure_table(figures),
        _build_issue_table(figures),
        _build_summary_table(figures),
        *(_build_list_table(figures, key, columns) for key, columns in CONTENT["list_columns"].items() if figures[key]),
    ]
    _blank, *lines = (line for table in tables for line in ((), *table))
    return BYTE_ORDER_MARK + format_lines([list(map(escape_formula, line)) for line in lines])


def _build_figure_table(figures: JsonObject) -> list[Sequence[str]]:
    current = figures["totals"]
    previous = figures["previous_totals"]
    with override(None):
        titles = _list_figure_titles(figures)
    rows = [(title, _format_cell(current[key]), _format_cell(previous[key])) for title, key in titles]
    return [("figure", "this period", "previous period"), *rows]


def _build_issue_table(figures: JsonObject) -> list[Sequence[str]]:
    rows = [{"list": kind, **row} for kind in ("overdue_issues", "due_soon_issues") for row in figures[kind]]
    columns = CONTENT["issue_columns"]
    return [columns, *([_format_cell(row[column]) for column in columns] for row in rows)]


def _build_summary_table(figures: JsonObject) -> list[Sequence[str]]:
    """Return the table with activity, the program's review record, and the sources of the report."""
    values = {
        name: figures[name]
        for name in ("period", "name", "start", "end", "zone", "created_at", "data_up_to", "monitored_repository_count")
    }
    values["due in the following period"] = figures["due_soon_count"]
    review_values = {f"reviews {name.replace('_', ' ')}": value for name, value in figures["review_record"].items()}
    rows = values | figures["activity"] | review_values | {"editions": ", ".join(figures["editions"])}
    return [
        ("about the period", "value"),
        *((name.replace("_", " "), _format_cell(value)) for name, value in rows.items()),
    ]


def _build_list_table(figures: JsonObject, key: str, columns: Sequence[str]) -> list[Sequence[str]]:
    """Return a list of the report as a table. The first column has the name of the list.

    Older reports lack some of the columns.
    """
    cells = ([key, *(_format_cell(row.get(column)) for column in columns)] for row in figures[key])
    return [("list", *columns), *cells]


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _build_figure_row(title: str, key: str, totals: JsonObject, previous_totals: JsonObject) -> tuple[str, str, str]:
    """Return the title and the values of this and the previous period."""
    format_value: Callable[[Any], str] = FIGURE_FORMATS.get(key, str)
    previous_value = "–" if previous_totals[key] is None else format_value(previous_totals[key])
    return title, format_value(totals[key]), previous_value


def _build_trend_bar(row: JsonObject) -> tuple[str, int, str]:
    """Return the period, the percentage of met targets, and both counts in words."""
    parts = [_("%(met)s of %(settled)s met") % row if row["settled"] else _("no targets due")]
    if row["overdue"]:
        parts.append(_("%(overdue)s overdue") % row)
    if row["data_incomplete"]:
        parts.append(_("data incomplete for %(data_incomplete)s") % row)
    percent = 100 * row["met"] // row["settled"] if row["settled"] else 0
    return describe_period(row["period"], "short_label"), percent, ", ".join(parts)


FIGURE_FORMATS = {"share": format_percent, "respond_hours": format_hours, "resolve_hours": format_hours}


def _build_row(row: JsonObject, zone: ZoneInfo) -> dict[str, object]:
    times = {name: _parse_moment(row[name], zone) for name in ("due_at", "last_commented_at")}
    sides = {
        name: _(SIDE_LABELS[row[name]] if row[name] in SIDE_LABELS else row[name])
        for name in ("responsible_party", "last_commenter_role")
    }
    page = row.get("page") or f"{build_absolute_url('sla:issue', row['issue'])}#{row['target_type']}"
    return {
        **row,
        **times,
        "severity": capfirst(_(SEVERITY_LABELS[row["severity"]])),
        "target": _(TARGET_LABELS[row["target_type"]]),
        **sides,
        "is_last_comment_by_other": row["last_commenter_role"] == "other",
        "page": page,
        "age": _format_hours(row["age_hours"]),
        "lateness": _describe_lateness(row),
    }


def _describe_lateness(row: JsonObject) -> str:
    """Return how overdue an issue is, or that its data is incomplete."""
    length = _format_hours(row["overdue_hours"])
    template = (
        _("due %(length)s ago, data incomplete") if row["state"] == "data_incomplete" else _("overdue by %(length)s")
    )
    return template % {"length": length}


def _parse_moment(text: str | None, zone: ZoneInfo) -> datetime | None:
    """Return the local time without a time zone, so that templates don't convert it."""
    return datetime.fromisoformat(text).astimezone(zone).replace(tzinfo=None) if text else None


def _parse_day(text: str, zone: ZoneInfo) -> date:
    return datetime.fromisoformat(text).astimezone(zone).date()


def _format_hours(hours: int) -> str:
    if hours < 48:
        return ngettext("%(count)s hour", "%(count)s hours", hours) % {"count": hours}
    return ngettext("%(count)s day", "%(count)s days", hours // 24) % {"count": hours // 24}
