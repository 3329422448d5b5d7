"""The edition of the how-to guide, and helpers that change and check it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from integrations.programs.loader import load_edition_file
from portal.core.content_errors import ContentError

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-program.md"
EDITION = GUIDE.read_text().split("```yaml\n")[1].split("```")[0]
Write = Callable[..., Path]


def replace_attestation_with_check(key: str) -> tuple[tuple[str, str], ...]:
    """Return the changes that make the attestation of the guide a check."""
    return (
        (
            "kind: attestation\n          responsible_party: partner",
            f"kind: check\n          checks: [{key}]\n          responsible_party: portal",
        ),
    )


def find_position(text: str, part: str) -> str:
    """Return the line and column of the first occurrence of a part of a text."""
    preceding = text[: text.index(part)]
    return f"{preceding.count(chr(10)) + 1}:{len(preceding) - preceding.rfind(chr(10))}"


def list_problems(path: Path) -> list[str]:
    """Return the problems of a file without its path."""
    with pytest.raises(ContentError) as refusal:
        load_edition_file(path)
    return [line.removeprefix(f"{path}:") for line in str(refusal.value).splitlines()]
