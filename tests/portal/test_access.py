"""Compares the response of every URL and button for each role with access.txt.

A cell holds the status of a GET and, after a slash, of an empty POST. Lines with a colon hold one status, that of a
button's POST. `in` is a redirect to the sign-in page; a `+` means that an event was recorded.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection

from tests.portal.crawl import Crawl
from tests.portal.page_urls import list_url_patterns
from tests.portal.sample_objects import ROLES

TABLE = Path(__file__).with_name("access.txt")


def build_access_table(crawls: list[Crawl]) -> dict[str, list[str]]:
    """Return the current table."""
    first = crawls[0]
    lines = {
        name: [f"{each.get_responses[name].code}/{each.post_responses[name].code}" for each in crawls]
        for name in first.get_responses
    }
    return lines | {
        label: [each.button_responses[label].code for each in crawls] for label in sorted(first.button_responses)
    }


def read_access_table() -> dict[str, list[str]]:
    lines = [line.rsplit(maxsplit=len(ROLES)) for line in TABLE.read_text("utf-8").splitlines() if line.strip()]
    return {line[0].strip(): line[1:] for line in lines if not line[0].startswith("#")}


def format_access_table(lines: dict[str, list[str]]) -> list[str]:
    width = max(map(len, lines))
    return [f"{name:{width}}  " + " ".join(f"{each:9}" for each in cells).rstrip() for name, cells in lines.items()]


@pytest.mark.any_database
def test_access_matches_the_table(crawl: Callable[[str], Crawl]) -> None:
    """Add a line for a new URL after deciding who may open it."""
    now = build_access_table([crawl(role) for role in ROLES])
    table = read_access_table()
    differing = {name: cells for name, cells in now.items() if table.get(name) != cells}
    was = {name: table.get(name, ["none"] * len(ROLES)) for name in differing}
    missing_names = sorted(set(table) - set(now))
    changed_lines = [
        f"- {old}\n+ {new}"
        for old, new in zip(
            format_access_table(was or {"": []}), format_access_table(differing or {"": []}), strict=True
        )
    ]
    report_text = "\n".join(["", "  " + " ".join(ROLES), *changed_lines, f"Gone: {missing_names}"])
    assert (differing, missing_names) == ({}, []), report_text
    assert not [name for name, cells in now.items() if any(code.startswith("5") for code in "/".join(cells).split("/"))]


# permitted to program staff in every program, whatever the limits of their roles
UNLIMITED_PAGES = {
    "reviews:assign_reviewer: to rob",
    "reviews:partner: manager",
    "reviews:post_message: a message",
    "reviews:post_message: a note",
}
# permitted to everyone who has the link, also without an account
SIGNED_LINK_PAGES = {"reports:confirm_external", "reports:stop_external"}


def test_limited_roles_change_nothing_outside_their_programs() -> None:
    """Reviewers and managers of Vault and auditors change nothing of integrations in other programs."""
    changed_names: dict[str, set[str]] = {
        role: {name for name, cells in read_access_table().items() if "+" in cells[ROLES.index(role)]}
        - SIGNED_LINK_PAGES
        for role in ("vic", "mona", "audrey")
    }
    own_program = {"accounts:invite_person: a reviewer"}
    assert changed_names == {
        "vic": UNLIMITED_PAGES,
        "mona": UNLIMITED_PAGES | own_program,
        "audrey": set(),
    }


@pytest.mark.postgres
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite answers every request in the test above")
@pytest.mark.parametrize("role", ["alice", "rita", "sam"])
def test_access_matches_the_table_on_postgresql(crawl: Callable[[str], Crawl], role: str) -> None:
    """The tests of pages run on SQLite alone; their queries must run on PostgreSQL too."""
    column = ROLES.index(role)
    expected = {name: [cells[column]] for name, cells in read_access_table().items()}
    assert build_access_table([crawl(role)]) == expected


def test_every_url_pattern_has_a_name() -> None:
    assert [str(pattern.pattern) for _, pattern in list_url_patterns() if not pattern.name] == []
