"""Ledger of what the program guides require: each requirement with what implements it and the tests that prove it.

The rows are the YAML files in `docs/requirements/`, one per document. References are checked against the code, so a row
can't name an edition, a check, a page, a command, or a test that doesn't exist.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from django.conf import settings
from django.urls import get_resolver

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition
from portal.core.content_files import Content, TextPattern, load_content
from portal.core.generated_docs import iterate_own_commands
from verification.checks.types import CHECKS

FOLDER = settings.BASE_DIR / "docs" / "requirements"
RequirementNumber = Annotated[str, TextPattern(r"[A-Z]+-\d+(\.\d+)*", 'a document and a number, such as "TIP-2.1"')]


class LedgerRow(Content):
    """Requirement of a document, in our words.

    Attributes:
        id: The document, the section, and the number in it.
        by: What implements it, each as `edition:PROGRAM@DATE#NAME`, `check:KEY`, `page:URL_NAME`, `command:NAME`, or
            `file:PATH`.
        proof: Tests, as PATH::FUNCTION.
        gap: Why nothing proves it yet.
    """

    id: RequirementNumber
    asks: str
    by: tuple[str, ...]
    proof: tuple[str, ...] = ()
    gap: str = ""

    @property
    def is_proven(self) -> bool:
        return bool(self.by and self.proof and not self.gap)


class LedgerDocument(Content):
    """Document with its requirements, in the order of its sentences."""

    title: str
    requirements: tuple[LedgerRow, ...]


def load_ledger(folder: Path = FOLDER) -> list[LedgerDocument]:
    """Return the documents. Raises ContentError."""
    return [load_content(path, LedgerDocument) for path in sorted(folder.glob("*.yaml"))]


def find_problems(documents: list[LedgerDocument]) -> Iterator[str]:
    """Yield the repeated rows, unknown references, and missing tests, as sentences."""
    rows = [row for document in documents for row in document.requirements]
    ids = [row.id for row in rows]
    yield from (f"{id} is repeated." for id in sorted({id for id in ids if ids.count(id) > 1}))
    for row in rows:
        yield from (f"{row.id}: {reference} does not exist." for reference in row.by if not reference_exists(reference))
        yield from (f"{row.id}: the test {test} does not exist." for test in row.proof if not is_test(test))


def reference_exists(reference: str) -> bool:
    """Return whether something has this reference."""
    kind, _, name = reference.partition(":")
    return kind in FINDERS and FINDERS[kind](name)


def _is_part_of_edition(name: str) -> bool:
    edition_name, _, part = name.partition("#")
    program, _, date = edition_name.partition("@")
    edition = PROGRAMS[program].by_date.get(date) if program in PROGRAMS else None
    return edition is not None and (not part or part in _list_parts(edition))


def _list_parts(edition: Edition) -> set[str]:
    """Return the IDs of requirements, the keys of steps, categories, and tiers, and the names of filled fields."""
    return {
        *(step.key for step in edition.steps),
        *(category.key for category in edition.categories),
        *(tier.key for tier in edition.tiers),
        *(requirement.id for requirement in edition.list_all_requirements()),
        *(name for name, value in vars(edition).items() if value),
    }


@cache
def _list_page_names() -> frozenset[str]:
    resolver = get_resolver()
    # The reverse dictionary of a resolver lacks the names of its namespaces.
    namespaces = {f"{key}:": inner for key, (_, inner) in resolver.namespace_dict.items()} | {"": resolver}
    return frozenset(
        f"{prefix}{name}"
        for prefix, inner in namespaces.items()
        for name in inner.reverse_dict
        if isinstance(name, str)
    )


FINDERS: dict[str, Callable[[str], bool]] = {
    "edition": _is_part_of_edition,
    "check": lambda name: name in CHECKS,
    "page": lambda name: name in _list_page_names(),
    "command": lambda name: name in {command for command, _ in iterate_own_commands()},
    "file": lambda name: (settings.BASE_DIR / name).is_file(),
}


def is_test(reference: str) -> bool:
    """Return whether a test file has this function."""
    path, _, function = reference.partition("::")
    return path.startswith("tests/") and function.startswith("test_") and function in _list_functions(path)


@cache
def _list_functions(path: str) -> frozenset[str]:
    file = settings.BASE_DIR / path
    # Parsed, not imported: tests need pytest and its fixtures.
    nodes = ast.walk(ast.parse(file.read_text())) if file.is_file() else ()
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
