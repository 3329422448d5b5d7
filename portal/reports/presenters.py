"""How is a frozen report said? One reading of the figures that mail, page, CSV and JSON share. Pure.

Nothing here asks a clock or a database: the same figures give the same words, a year later too. Pages and mails say
them in the language that is spoken; CSV and JSON never do.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.sla.formatting import per_cent
from portal.core.exports import BOM, FORMULA, FORMULAS, safe
from portal.reports.summaries import COUNTED, subject, turn, verdict

COLUMNS = (
    "list",
    "name",
    "title",
    "partner",
    "integration",
    "severity",
    "verb",
    "due",
    "late_hours",
    "spoke_last",
    "url",
)
MORE = (*COLUMNS[:-1], "spoke_last_at", "age_hours", "holder", "state", "url")  # since the third format
FIGURES = (
    (gettext_noop("In time"), "share"),
    (gettext_noop("Kept"), "kept"),
    (gettext_noop("Broken"), "broken"),
    (gettext_noop("Overdue now"), "overdue"),
    (gettext_noop("At risk now"), "at_risk"),
    (gettext_noop("Not known"), "blind"),
)
WHEN_ENDED = {  # instead, in a report that was made late
    "overdue": gettext_noop("Overdue when the week ended"),
    "at_risk": gettext_noop("At risk when the week ended"),
}
# lists of a report beside its issues, with the columns that a table of them has
LISTS = {
    "retracted": ("name", "integration", "why"),
    "standing": ("partner", "integration", "what"),
    "programs": ("name", "share", "kept", "broken", "overdue", "at_risk", "blind"),
}
SEVERITIES = {"critical": gettext_noop("critical"), "other": gettext_noop("not critical")}
PROMISED = {
    "respond": gettext_noop("first answer"),
    "resolve": gettext_noop("resolution"),
    "track": gettext_noop("tracking"),
}
SIDES = {"partner": gettext_noop("partner"), "reporter": gettext_noop("reporter"), "other": gettext_noop("other")}


def shown(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that a template prints. Moments are the wall clock of the report's zone, whoever reads them.

    `start` and `end`: the first and the last day of the week. A row gets `age` and `late` as lengths of time in words.
    """
    zone = ZoneInfo(figures["zone"])
    totals, before = figures["totals"], figures["before"]
    return {
        **figures,
        "subject": subject(figures),
        "verdict": verdict(figures),
        "turn": turn(figures),
        "start": _day(figures["start"], zone),
        "end": _day(figures["end"], zone) - timedelta(days=1),
        "data_up_to": _moment(figures["data_up_to"], zone),
        "made_at": _moment(figures["made_at"], zone),
        "made_late": is_late(figures),
        "is_past": figures["format"] >= COUNTED and figures["is_past"],
        "figures": [_figure(_(title), key, totals, before, figures["format"]) for title, key in _titles(figures)],
        "worst": [_row(row, zone) for row in figures["worst"]],
        "coming": [_row(row, zone) for row in figures["coming"]],
        "more_worst": _beyond(figures, "worst"),
        "more_coming": _beyond(figures, "coming"),
        "programs": [
            row | {"name": row.get("name", row["program"]), "in_time": per_cent(row["share"])}
            for row in figures["programs"]
        ],
        "own_share": _("%(in_time)s of %(decided)s") % figures["own"],
    }


def is_late(figures: Mapping[str, Any]) -> bool:
    """Whether it was made long after its week: what it says of open promises is of the week's end."""
    return bool(figures["format"] >= COUNTED and figures["made_late"])


def _titles(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    instead = WHEN_ENDED if is_late(figures) else {}
    return [(instead.get(key, title), key) for title, key in FIGURES]


def _beyond(figures: Mapping[str, Any], kind: str) -> int:
    """How many issues there are beside those that the report names."""
    if figures["format"] < COUNTED:
        return 0
    totals = figures["totals"]
    there = totals["overdue"] + totals["blind"] if kind == "worst" else figures["coming_in_all"]
    return int(max(0, there - len(figures[kind])))


def as_json(figures: Mapping[str, Any]) -> str:
    """The frozen figures, byte for byte the same each time."""
    return json.dumps(figures, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def as_csv(figures: Mapping[str, Any]) -> str:
    """Figures, issues and what else the page tells, each as a table of its own with a blank line between them.

    Cells that a spreadsheet would calculate are kept as text. Reports of the first two formats keep their two tables,
    those of the first three their bytes.
    """
    made_as = figures["format"]
    head = ("figure", "this week", "the week before")
    now, before = figures["totals"], figures["before"]
    tables: list[list[Sequence[str]]] = [
        [head, *((say, _number(now[key]), _number(before[key])) for say, key in _titles(figures))],
        _issues(figures, COLUMNS if made_as < 3 else MORE),
    ]
    if made_as >= 3:
        tables += [_about(figures), *(_listed(figures, key, columns) for key, columns in LISTS.items() if figures[key])]
    out = io.StringIO()
    out.write(BOM if made_as >= COUNTED else "")
    signs = FORMULAS if made_as >= COUNTED else FORMULA
    write = csv.writer(out, lineterminator="\r\n").writerow
    for number, table in enumerate(tables):
        if number:
            write(())
        for row in table:
            write([safe(cell, signs) for cell in row])
    return out.getvalue()


def _issues(figures: Mapping[str, Any], columns: Sequence[str]) -> list[Sequence[str]]:
    rows = [{"list": kind, **row} for kind in ("worst", "coming") for row in figures[kind]]
    return [columns, *([str(row[column]) for column in columns] for row in rows)]


def _about(figures: Mapping[str, Any]) -> list[Sequence[str]]:
    """What the page tells in sentences: movements, the program's own record, what it was made of."""
    said = {
        name: figures[name] for name in ("week", "name", "start", "end", "zone", "made_at", "data_up_to", "watched")
    }
    if figures["format"] >= COUNTED:
        said["late this week if nothing happens"] = figures["coming_in_all"]
    own = {f"own reviews {name.replace('_', ' ')}": value for name, value in figures["own"].items()}
    rows = said | figures["movements"] | own | {"editions": ", ".join(figures["editions"])}
    return [("about the week", "value"), *((name.replace("_", " "), str(value)) for name, value in rows.items())]


def _listed(figures: Mapping[str, Any], key: str, columns: Sequence[str]) -> list[Sequence[str]]:
    """One of the report's lists; the first column says which."""
    cells = ([key, *(_cell(row[column]) for column in columns)] for row in figures[key])
    return [("list", *columns), *cells]


def _cell(value: Any) -> str:
    return _number(value) if value is None or isinstance(value, float) else str(value)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _figure(title: str, key: str, totals: Mapping[str, Any], before: Mapping[str, Any], made_as: int) -> dict[str, str]:
    is_share = key == "share"
    say = per_cent if is_share else lambda value: str(value)
    # reports of the first format did not keep where the open clocks were a week ago
    old = before[key] if made_as > 1 or key in ("share", "kept", "broken") else None
    return {"title": title, "value": say(totals[key]), "before": "" if old is None else say(old)}


def _row(row: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    said = {name: _moment(row[name], zone) for name in ("due", "spoke_last_at")}
    words = {"severity": _(SEVERITIES[row["severity"]]), "promised": _(PROMISED[row["verb"]])}
    sides = {name: _(SIDES.get(row[name], row[name])) for name in ("holder", "spoke_last")}
    return {**row, **said, **words, **sides, "age": _length(row["age_hours"]), "late": _late(row)}


def _late(row: Mapping[str, Any]) -> str:
    """How late it is; where our knowledge does not reach the due moment, only that it has passed."""
    length = _length(row["late_hours"])
    said = _("due %(length)s ago, not known whether kept") if row["state"] == "blind" else _("%(length)s late")
    return said % {"length": length}


def _moment(text: str, zone: ZoneInfo) -> datetime | None:
    """Without a zone, so that no template moves it into the reader's."""
    return datetime.fromisoformat(text).astimezone(zone).replace(tzinfo=None) if text else None


def _day(text: str, zone: ZoneInfo) -> date:
    return datetime.fromisoformat(text).astimezone(zone).date()


def _length(hours: int) -> str:
    if hours < 48:
        return ngettext("%(count)s hour", "%(count)s hours", hours) % {"count": hours}
    return ngettext("%(count)s day", "%(count)s days", hours // 24) % {"count": hours // 24}
