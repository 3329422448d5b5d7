"""Helpers that read the page of the review queue."""

import re
from html import unescape
from typing import Any

from tests.integrations.page_text import TAG, parse

NAME_CELL = re.compile(r'<td class="main">(.*?)</td>', re.DOTALL)
LINK = re.compile(r"<a\b[^>]*>(.*?)</a>", re.DOTALL)


def list_names(response: Any) -> list[str]:
    """Return the names of the items. The tree of a page of 50 items would take longer than the page."""
    cells = NAME_CELL.findall(response.content.decode())
    return [unescape(TAG.sub("", text)) for cell in cells for text in LINK.findall(cell)]


def get_row_text(response: Any, name: str) -> str:
    row = next(row for row in parse(response).select("tbody tr") if row.select("td.main a")[0].text == name)
    return " ".join(row.get_text(" ").split())


def get_figures(response: Any) -> str:
    return " ".join(parse(response).select(".figures")[0].get_text(" ").split())
