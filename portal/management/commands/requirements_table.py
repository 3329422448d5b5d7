"""Command that writes docs/reference/requirements.md."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from portal.core.generated_docs import TableDocsCommand, format_table
from portal.requirements_ledger import LedgerDocument, LedgerRow, find_problems, load_ledger

DOCS_PAGE = settings.BASE_DIR / "docs" / "reference" / "requirements.md"
INTRODUCTION = """# Requirements

This page lists what the guides of the programs require, in our words. `manage.py requirements_table` generates it from
the files in `docs/requirements/`.

- **Number** consists of the section of the guide and the position in it.
- **Implemented by** names a page by its URL name, a check, a command, a file, or an edition with a part of it.
- **Proof** links the tests. A requirement without them is *Not proven*, with the reason.
"""
HEADER = ("Number", "Requirement", "Implemented by", "Proof", "State")


def summarize_proof(documents: list[LedgerDocument]) -> str:
    """Return the numbers of all rows, and of those with and without a proof."""
    proofs = [row.is_proven for document in documents for row in document.requirements]
    return f"{len(proofs)} requirements, {proofs.count(True)} proven, {proofs.count(False)} not proven"


def render_documents(documents: list[LedgerDocument]) -> Iterator[str]:
    """Yield the parts of the page."""
    yield INTRODUCTION
    yield f"{summarize_proof(documents)}.\n"
    for document in documents:
        yield f"## {document.title}\n"
        yield format_table(HEADER, map(list_cells, document.requirements))
        yield ""


def list_cells(row: LedgerRow) -> list[str]:
    """Return the cells of the row in Markdown."""
    proof = [f"[{test.partition('::')[2]}](../../{test.partition('::')[0]})" for test in row.proof]
    state = "Proven" if row.is_proven else f"Not proven. {row.gap}".strip()
    return [row.id, row.asks, ", ".join(f"`{each}`" for each in row.by), ", ".join(proof), state]


class Command(TableDocsCommand):
    help = "Write docs/reference/requirements.md and print the numbers of proven requirements."
    subject = "the ledger"

    def render_docs(self) -> tuple[Path, str]:
        documents = load_ledger()
        if problems := list(find_problems(documents)):
            raise CommandError("\n".join(problems))
        self.stdout.write(summarize_proof(documents))
        return DOCS_PAGE, "\n".join(render_documents(documents))
