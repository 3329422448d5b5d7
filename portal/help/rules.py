"""Help pages from Markdown files in docs, so that the portal and the repository have the same text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

DOCS_DIR = Path(__file__).resolve().parents[2] / "docs" / "explanation"
URL_NAME_BY_FILE = {"sla-clock": "help:clock_help", "compliance": "help:compliance_help"}
HEADING_PATTERN = re.compile(r"^#{1,2} ", re.MULTILINE)
LINK_PATTERN = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


@dataclass(frozen=True, slots=True)
class RuleSection:
    """Section of a help page. The first section has the title of the page."""

    title: str
    id: str
    body: SafeString


@lru_cache(maxsize=8)
def load_sections(name: str, urls: frozenset[tuple[str, str]]) -> tuple[RuleSection, ...]:
    """Return the sections of docs/explanation/NAME.md.

    Args:
        name: The name of the file.
        urls: Pairs of a file and the URL of its page. Links to other files become plain text.
    """
    url_by_file = dict(urls)

    def replace_link(match: re.Match[str]) -> str:
        url = url_by_file.get(match[2])
        return f"[{match[1]}]({url})" if url else match[1]

    source = LINK_PATTERN.sub(replace_link, (DOCS_DIR / f"{name}.md").read_text(encoding="utf-8"))
    parts = (part.partition("\n") for part in HEADING_PATTERN.split(source)[1:])
    return tuple(RuleSection(title, slugify(title), render_markdown(text)) for title, _, text in parts)


def render_markdown(text: str) -> SafeString:
    """Return Markdown as HTML. HTML in the text is escaped."""
    return SafeString(MARKDOWN.render(text))


def _open_table(_: RendererHTML, tokens: Sequence[Token], index: int, *__: object) -> str:
    """Return the start of a table that scrolls on narrow screens. Its first heading is its accessible name."""
    label = next(token.content for token in tokens[index:] if token.type == "inline")
    return format_html(
        '<div class="table-wrap" role="region" aria-label="{}" tabindex="0"><table class="table">', label
    )


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
MARKDOWN.add_render_rule("table_open", _open_table)
MARKDOWN.add_render_rule("table_close", lambda *_: "</table></div>")
MARKDOWN.add_render_rule("th_open", lambda *_: '<th scope="col">')
