"""Profile of the slowest pages of the growth benchmark: the time in the database and in templates."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.template import Template

from portal.core.generated_docs import format_table_row, render_page

DOCUMENT = Path(__file__).parents[2] / "docs" / "explanation" / "performance.md"
HEADINGS = ("Page", "Role", "ms", "CPU", "Database", "Templates", "Other", "Slowest query", "Its ms")
ROUNDS = 3
TABLE = re.compile(r'FROM "(\w+)"')


@dataclass(slots=True)
class Profile:
    """Milliseconds of one visit. Queries that a template runs count as time in the database.

    `cpu` is the time that the process computes, without waiting for the database or for other processes.
    """

    total: float = 0
    cpu: float = 0
    database: float = 0
    templates: float = 0
    slowest_query: str = ""
    slowest_ms: float = 0

    def add_query(self, sql: str, milliseconds: float) -> None:
        self.database += milliseconds
        if milliseconds > self.slowest_ms and TABLE.search(sql):
            self.slowest_query = describe_query(sql)
            self.slowest_ms = milliseconds


def describe_query(sql: str) -> str:
    """Return the first table of a query, such as "sla_slaclock", and whether it aggregates rows."""
    table = TABLE.search(sql)
    suffix = " (aggregate)" if "COUNT(" in sql or "GROUP BY" in sql else ""
    return f"{table[1] if table else sql[:40]}{suffix}"


def profile(visit: Callable[[], Any]) -> Profile:
    """Return the profile of the fastest of a few visits, after one that fills caches."""
    visit()
    return min((_profile_once(visit) for _ in range(ROUNDS)), key=lambda each: each.total)


def _profile_once(visit: Callable[[], Any]) -> Profile:
    result = Profile()
    depth = 0
    render = Template.render

    def time_query(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        begin = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            result.add_query(sql, (time.perf_counter() - begin) * 1000)

    def time_template(self: Template, context: Any) -> Any:
        nonlocal depth
        depth += 1
        begin = time.perf_counter()
        database = result.database
        try:
            return render(self, context)
        finally:
            depth -= 1
            if not depth:
                result.templates += (time.perf_counter() - begin) * 1000 - (result.database - database)

    with connection.execute_wrapper(time_query), patch.object(Template, "render", time_template):
        begin = time.perf_counter()
        cpu_begin = time.process_time()
        visit()
        result.total = (time.perf_counter() - begin) * 1000
        result.cpu = (time.process_time() - cpu_begin) * 1000
    return result


def format_table(profiles: Mapping[tuple[str, str], Profile]) -> str:
    """Return the profiles as a Markdown table, the slowest page first."""
    rows: list[Iterable[object]] = [HEADINGS, ["---"] * len(HEADINGS)]
    for (name, role), each in sorted(profiles.items(), key=lambda item: -item[1].total):
        other = each.total - each.database - each.templates
        times = [f"{value:.0f}" for value in (each.total, each.cpu, each.database, each.templates, other)]
        rows.append([name, role, *times, f"`{each.slowest_query}`", f"{each.slowest_ms:.0f}"])
    return "\n".join(format_table_row(map(str, row)) for row in rows)


def write_table(table: str) -> None:
    """Replace the section of the document."""
    DOCUMENT.write_text(render_page(DOCUMENT, "growth profile", table))
