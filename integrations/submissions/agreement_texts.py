"""Texts of agreements as HTML, and as blocks for other formats."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from integrations.submissions.text_changes import TextChange, compare_parts

# The text contains the name of the company, which its owners choose.
MARKDOWN = MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Heading, paragraph, or list item. `depth` counts the lists around it, and only an item's first has a marker."""

    text: str
    marker: str = ""
    depth: int = 0
    is_heading: bool = False


def parse_body(text: str) -> list[Token]:
    """Return the Markdown tokens of a text without its title."""
    return MARKDOWN.parse(text.partition("\n")[2])


def render_agreement(text: str) -> SafeString:
    """Return the text without its title as HTML for a panel. HTML in the text is escaped."""
    tokens = parse_body(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = f"h{int(token.tag[1]) + 1}"  # the panel has a heading of the second level
    return SafeString(MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}))


def list_blocks(text: str) -> Iterator[TextBlock]:
    """Yield the blocks of a text without its title. Emphasis is dropped."""
    marker = ""
    depth = 0
    is_heading = False
    for token in parse_body(text):
        if token.type.endswith(("_list_open", "_list_close")):
            depth += token.nesting
        if token.type == "list_item_open":
            marker = f"{token.info}." if token.info else "•"
        elif token.type == "inline":
            yield TextBlock(join_text(token), marker, depth, is_heading)
            marker = ""
        is_heading = token.type == "heading_open"


def compare_texts(old: str, new: str) -> list[TextChange]:
    """Return the blocks that a new text removes from an old one and adds to it, in order."""
    old_blocks, new_blocks = ([block.text for block in list_blocks(text)] for text in (old, new))
    runs = compare_parts(old_blocks, new_blocks)
    return [TextChange(change, text) for change, texts in runs if change != "kept" for text in texts]


def join_text(token: Token) -> str:
    """Return the text of an inline token on one line."""
    return "".join(" " if child.type.endswith("break") else child.content for child in token.children or ())
