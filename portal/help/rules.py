"""How does the written rule become a page? The few forms of Markdown that the rule's own files use, as HTML.

What people read in the portal and in the repository is one text. Everything is escaped; a form that is not known here
is shown as it is written.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

DOCS = Path(__file__).resolve().parents[2] / "docs"
SPANS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
ITEM = re.compile(r"^( *)- (.*)$")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it; the first has the page's own title. `id`: its place in the address."""

    title: str
    id: str
    body: SafeString


@lru_cache(maxsize=8)
def sections(name: str) -> tuple[Section, ...]:
    """The sections of docs/NAME.md, links left as they are written."""
    found: list[Section] = []
    parts = re.split(r"^#{1,2} ", (DOCS / f"{name}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for part in parts[1:]:
        title, _, text = part.partition("\n")
        found.append(Section(title, slugify(title), _joined(_blocks(text.strip().split("\n")))))
    return tuple(found)


def led(section: Section, places: Mapping[str, str]) -> Section:
    """The same with links that lead to pages. `places`: {file: address}; others keep only their words."""

    def lead(found: re.Match[str]) -> str:
        href = places.get(found[2], "")
        return format_html('<a href="{}">{}</a>', href, mark_safe(found[1])) if href else found[1]  # noqa: S308 - escaped

    return Section(section.title, section.id, mark_safe(LINK.sub(lead, section.body)))  # noqa: S308 - escaped above


def _blocks(lines: list[str]) -> Iterator[str]:
    """Paragraphs, lists and tables, parted by blank lines."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield _block(block)
            block = []


def _block(lines: list[str]) -> str:
    if lines[0].startswith("|"):
        return _table(lines)
    starts = [n for n, line in enumerate(lines) if ITEM.match(line)]
    if not starts:
        return f"<p>{_said(lines)}</p>"
    before = f"<p>{_said(lines[: starts[0]])}</p>" if starts[0] else ""
    return before + _list(lines[starts[0] :])


def _list(lines: list[str]) -> str:
    """A list; what is indented further is a list within its item."""
    items: list[tuple[int, list[str]]] = []
    for line in lines:
        item = ITEM.match(line)
        if item:
            items.append((len(item[1]), [item[2]]))
        else:
            items[-1][1].append(line.strip())
    out, outer = "<ul>", items[0][0]
    for place, (depth, words) in enumerate(items):
        deeper = place + 1 < len(items) and items[place + 1][0] > depth
        out += f"<li>{_said(words)}" + ("<ul>" if deeper else "</li>")
        if depth > outer and (place + 1 == len(items) or items[place + 1][0] == outer):
            out += "</ul></li>"
    return out + "</ul>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f'<th scope="col">{_said([cell])}</th>' for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_said([cell])}</td>" for cell in row) + "</tr>" for row in rows[2:])
    table = f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="table-wrap" role="region" aria-label="{escape(rows[0][0])}" tabindex="0">{table}</div>'


def _said(lines: list[str]) -> str:
    """Words with their marks."""
    text = str(escape(" ".join(line.strip() for line in lines)))
    for mark, drawn in SPANS:
        text = mark.sub(drawn, text)
    return text


def _joined(blocks: Iterator[str]) -> SafeString:
    return mark_safe("\n".join(blocks))  # noqa: S308 - every word was escaped in _said
