"""How does the list leave the portal? The same query as CSV and JSON, safe for spreadsheets, in pieces."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from portal.reports.shown import safe
from portal.sla.rows import COLUMNS, as_data, rows_of
from verification.models import Clock

PIECE = 500
MOST = 50_000  # rows of one file; the JSON says when there are more


def pieces(found: QuerySet[Clock], now: datetime) -> Iterator[list[dict[str, Any]]]:
    """The rows as data, a few hundred at a time. The order is settled once, so that no row is missed or doubled."""
    keys = list(found.values_list("pk", flat=True)[:MOST])
    for start in range(0, len(keys), PIECE):
        wanted = keys[start : start + PIECE]
        clocks = rows_of(Clock.objects.filter(pk__in=wanted), now, wanted)
        yield [as_data(row) for row in clocks]


def as_csv(found: QuerySet[Clock], now: datetime) -> Iterator[str]:
    """A table; cells that a spreadsheet would calculate are kept as text."""
    yield _line(COLUMNS)
    for rows in pieces(found, now):
        yield "".join(_line([safe(str(row[column])) for column in COLUMNS]) for row in rows)


def as_json(found: QuerySet[Clock], now: datetime, asked: dict[str, str]) -> Iterator[str]:
    """{"at", "asked", "most", "clocks": [...]}, one clock a line."""
    head = json.dumps({"at": now.isoformat(), "asked": asked, "most": MOST}, ensure_ascii=False)
    yield f'{head[:-1]}, "clocks": ['
    comma = "\n"
    for rows in pieces(found, now):
        for row in rows:
            yield comma + json.dumps(row, ensure_ascii=False)
            comma = ",\n"
    yield "\n]}\n"


def _line(cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()
