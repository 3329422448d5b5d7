"""Texts of agreements as HTML."""

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

MARKDOWN = MarkdownIt("commonmark", {"html": False})


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
