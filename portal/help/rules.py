"""Help pages from Markdown files in docs, so that the portal and the repository have the same text.

Supports only the Markdown syntax of these files. All text is escaped, and other syntax is displayed as written.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

DOCS_DIR = Path(__file__).resolve().parents[2] / "docs" / "explanation"
SPAN_PATTERNS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)
LINK_PATTERN = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
LIST_ITEM_PATTERN = re.compile(r"^( *)- (.*)$")


@dataclass(frozen=True, slots=True)
class RuleSection:
    """Section of a help page. The first section has the title of the page."""

    title: str
    id: str
    body: SafeString


@lru_cache(maxsize=8)
def load_sections(name: str) -> tuple[RuleSection, ...]:
    """Return the sections of docs/explanation/NAME.md with unresolved links."""
    rule_sections: list[RuleSection] = []
    parts = re.split(r"^#{1,2} ", (DOCS_DIR / f"{name}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for part in parts[1:]:
        title, _, text = part.partition("\n")
        rule_sections.append(RuleSection(title, slugify(title), _join_blocks(_render_blocks(text.strip().split("\n")))))
    return tuple(rule_sections)


def resolve_links(section: RuleSection, url_by_file: Mapping[str, str]) -> RuleSection:
    """Return the section with links to pages. Links to files without a URL become plain text."""

    def replace_link(match: re.Match[str]) -> str:
        href = url_by_file.get(match[2], "")
        return format_html('<a href="{}">{}</a>', href, mark_safe(match[1])) if href else match[1]  # noqa: S308 - escaped

    return RuleSection(section.title, section.id, mark_safe(LINK_PATTERN.sub(replace_link, section.body)))  # noqa: S308 - escaped above


def _render_blocks(lines: list[str]) -> Iterator[str]:
    """Yield the HTML of paragraphs, lists, and tables, which blank lines separate."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield _render_block(block)
            block = []


def _render_block(lines: list[str]) -> str:
    if lines[0].startswith("|"):
        return _render_table(lines)
    starts = [n for n, line in enumerate(lines) if LIST_ITEM_PATTERN.match(line)]
    if not starts:
        return f"<p>{_render_inline(lines)}</p>"
    before = f"<p>{_render_inline(lines[: starts[0]])}</p>" if starts[0] else ""
    return before + _render_list(lines[starts[0] :])


def _render_list(lines: list[str]) -> str:
    """Return a list with nested lists by indentation."""
    items: list[tuple[int, list[str]]] = []
    for line in lines:
        item = LIST_ITEM_PATTERN.match(line)
        if item:
            items.append((len(item[1]), [item[2]]))
        else:
            items[-1][1].append(line.strip())
    out, outer = "<ul>", items[0][0]
    for place, (depth, words) in enumerate(items):
        deeper = place + 1 < len(items) and items[place + 1][0] > depth
        out += f"<li>{_render_inline(words)}" + ("<ul>" if deeper else "</li>")
        if depth > outer and (place + 1 == len(items) or items[place + 1][0] == outer):
            out += "</ul></li>"
    return out + "</ul>"


def _render_table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f'<th scope="col">{_render_inline([cell])}</th>' for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_render_inline([cell])}</td>" for cell in row) + "</tr>" for row in rows[2:])
    table = f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="table-wrap" role="region" aria-label="{escape(rows[0][0])}" tabindex="0">{table}</div>'


def _render_inline(lines: list[str]) -> str:
    """Return inline text with code, bold, and italics."""
    text = str(escape(" ".join(line.strip() for line in lines)))
    for pattern, replacement in SPAN_PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def _join_blocks(blocks: Iterator[str]) -> SafeString:
    return mark_safe("\n".join(blocks))  # noqa: S308 - every word was escaped in _said
