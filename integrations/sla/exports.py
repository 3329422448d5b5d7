"""How does the list leave the portal? The same query as CSV and JSON, safe for spreadsheets, in pieces."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import override

from integrations.sla.models import Clock
from integrations.sla.presenters import COLUMNS, as_data, rows_of
from portal.core.exports import BOM, safe

PIECE = 500
MOST = 50_000  # rows of one file, which says where there were more


def keys_of(found: QuerySet[Clock]) -> tuple[list[int], bool]:
    """The rows of one file, and whether it is cut. The order is settled once: no row is missed or doubled."""
    keys = list(found.values_list("pk", flat=True)[: MOST + 1])
    return keys[:MOST], len(keys) > MOST


def pieces(keys: list[int], now: datetime) -> Iterator[list[dict[str, Any]]]:
    """The rows as data, a few hundred at a time."""
    for start in range(0, len(keys), PIECE):
        wanted = keys[start : start + PIECE]
        with override("en"):  # programs read it, whoever asks
            found = [as_data(row) for row in rows_of(Clock.objects.filter(pk__in=wanted), now, wanted)]
        yield found


def as_csv(found: QuerySet[Clock], now: datetime) -> Iterator[str]:
    """A table; cells that a spreadsheet would calculate are kept as text. Its last line says where it is cut."""
    keys, is_cut = keys_of(found)
    yield BOM + _line(COLUMNS)
    for rows in pieces(keys, now):
        yield "".join(_line([safe(str(row[column])) for column in COLUMNS]) for row in rows)
    if is_cut:
        yield _line([f"Cut after {MOST} rows: there are more. Filter the list to see them."])


def as_json(found: QuerySet[Clock], now: datetime, asked: dict[str, str]) -> Iterator[str]:
    """{"at", "asked", "most", "cut", "clocks": [...]}, one clock a line. `cut`: there are more than `most`.

    `asked`: the filters in force.
    """
    keys, is_cut = keys_of(found)
    head = json.dumps({"at": now.isoformat(), "asked": asked, "most": MOST, "cut": is_cut}, ensure_ascii=False)
    yield f'{head[:-1]}, "clocks": ['
    comma = "\n"
    for rows in pieces(keys, now):
        for row in rows:
            yield comma + json.dumps(row, ensure_ascii=False)
            comma = ",\n"
    yield "\n]}\n"


def _line(cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()
