"""Agreements as documents: each version is a Markdown file, `content/agreements/<key>/<version>.md`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from string import Formatter
from typing import Literal

from portal.core.content_errors import ContentError, ContentProblem

AgreementKey = Literal["mnda", "tpa"]
PLACEHOLDERS = frozenset({"partner"})
TITLE_MARK = "# "
VERSION_PATTERN = re.compile(r"\d{4}-\d{2}")
# Characters with a meaning anywhere, after a number as in "1. FC", and at the beginning as in "- A".
MARKDOWN_CHARACTERS = re.compile(r"([\\`~*_\[\]<>#&]|(?<=\d)[.)](?= )|^[-+](?= ))")


@dataclass(frozen=True, slots=True)
class AgreementDocument:
    """Version of an agreement. Its Markdown source begins with the title, and `{partner}` is the company's name."""

    key: str
    version: str
    source: str

    @property
    def title(self) -> str:
        return self.source.partition("\n")[0].removeprefix(TITLE_MARK)

    def render_text(self, partner: str) -> str:
        """Return the Markdown with the name of the partner, which is escaped."""
        # A company chooses its name, and the agreement must show it as it is instead of as a heading or a link.
        return self.source.format(partner=MARKDOWN_CHARACTERS.sub(r"\\\1", partner))


def compute_digest(text: str) -> str:
    """Return the hexadecimal SHA-256 of a rendered text."""
    return sha256(text.encode()).hexdigest()


def load_agreements(folder: Path) -> dict[str, tuple[AgreementDocument, ...]]:
    """Return the versions of each agreement by its key, oldest first.

    Raises:
        ContentError: A file is not valid.
    """
    paths = sorted(folder.glob("*/*.md"))
    problems = [problem for path in paths for problem in _find_problems(path, path.read_text())]
    if problems:
        raise ContentError(problems)
    documents = [AgreementDocument(path.parent.name, path.stem, path.read_text()) for path in paths]
    keys = {document.key for document in documents}
    return {key: tuple(document for document in documents if document.key == key) for key in sorted(keys)}


def _find_problems(path: Path, source: str) -> Iterator[ContentProblem]:
    if not VERSION_PATTERN.fullmatch(path.stem):
        yield ContentProblem(path, (1, 1), (), "The name of the file is not a version.", "Name it YYYY-MM.md.")
    if not source.startswith(TITLE_MARK):
        yield ContentProblem(path, (1, 1), (), "The document has no title.", 'Begin it with "# " and the title.')
    for number, line in enumerate(source.splitlines(), start=1):
        # A placeholder that nothing fills in would fail when someone opens the page to sign.
        try:
            names = {name for _text, name, _format, _conversion in Formatter().parse(line) if name is not None}
        except ValueError:
            yield ContentProblem(
                path, (number, 1), (), "The line has a single brace.", "Double it, or complete the placeholder."
            )
            continue
        for name in sorted(names - PLACEHOLDERS):
            yield ContentProblem(path, (number, 1), (), f"Unknown placeholder {name!r}.", "Use 'partner'.")
