"""Tests of the documentation: links between pages, and screenshots."""

import re
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
CODE_BLOCK_PATTERN = re.compile(r"```.*?```", re.DOTALL)
LINK_PATTERN = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)")


def find_anchors(page: Path) -> set[str]:
    """Return the anchors of a page: explicit ones, and those that GitHub makes of headings."""
    text = CODE_BLOCK_PATTERN.sub("", page.read_text())
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        *re.findall(r'<a id="([^"]+)"', text),
        *(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings),
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_link_targets_exist(page: Path) -> None:
    broken = []
    for path, anchor in LINK_PATTERN.findall(CODE_BLOCK_PATTERN.sub("", page.read_text())):
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in find_anchors(target)):
            broken.append(f"{path}#{anchor}" if anchor else path)
    assert broken == []


def test_every_screenshot_is_shown_on_a_page() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [image.name for image in (ROOT / "docs" / "screens").glob("*.png") if image.name not in text] == []
