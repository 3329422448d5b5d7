"""Helpers that read the page of the review queue."""

from typing import Any

from bs4 import BeautifulSoup


def list_names(response: Any) -> list[str]:
    page = BeautifulSoup(response.content, "html.parser")
    return [link.text for link in page.select("td.main a")]


def get_row_text(response: Any, name: str) -> str:
    page = BeautifulSoup(response.content, "html.parser")
    row = next(row for row in page.select("tbody tr") if row.select_one("td.main a").text == name)
    return " ".join(row.get_text(" ").split())


def get_figures(response: Any) -> str:
    page = BeautifulSoup(response.content, "html.parser")
    return " ".join(page.select_one(".figures").get_text(" ").split())
