"""Rendering of user-written Markdown: messages, findings, responses, and notes.

HTML is escaped, images become links, and links lead only to web pages and email addresses. Search engines don't
follow them.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from django.utils.html import escape, urlize
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from portal.ui.components.markup import register

WEB_SCHEMES = frozenset({"http", "https"})
LINK_RELATION = "nofollow noopener ugc"


class UserMarkdown(MarkdownIt):
    """Parser of untrusted Markdown."""

    def validateLink(self, url: str) -> bool:
        """Return whether the URL is an allowed link target: a web page with a host, or an email address."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        scheme = parts.scheme.lower()
        return bool(parts.netloc) if scheme in WEB_SCHEMES else scheme == "mailto" and "@" in parts.path


@register.filter("markdown")
@lru_cache(maxsize=512)
def render_markdown(text: str | None) -> SafeString:
    """Return Markdown as safe HTML."""
    return SafeString(MARKDOWN.render(text or ""))


def list_texts(text: str) -> Iterator[str]:
    """Yield the plain texts in Markdown, without code and links."""
    for block in MARKDOWN.parse(text):
        for token in block.children or ():
            if token.type == "text" and not token.meta["is_linked"]:
                yield token.content


def _mark_links(state: StateCore) -> None:
    """Add the relation to links, remove those without a URL, and mark the texts that are already linked."""
    for block in state.tokens:
        children = list[Token]()
        is_linked = False
        for token in block.children or ():
            if token.type == "link_open":
                is_linked = bool(token.attrGet("href"))
                token.attrSet("rel", LINK_RELATION)
            token.meta["is_linked"] = is_linked
            if is_linked or token.type not in {"link_open", "link_close"}:
                children.append(token)
            is_linked = is_linked and token.type != "link_close"
        block.children = children or None


def _render_text(_: RendererHTML, tokens: Sequence[Token], index: int, *__: object) -> str:
    """Return a text in which bare URLs become links."""
    token = tokens[index]
    return escape(token.content) if token.meta["is_linked"] else urlize(token.content, nofollow=True, autoescape=True)


MARKDOWN = UserMarkdown("commonmark", {"html": False, "breaks": True}).enable("strikethrough")
MARKDOWN.disable("image")
MARKDOWN.core.ruler.push("mark_links", _mark_links)
MARKDOWN.add_render_rule("text", _render_text)
# headings of users would change the outline of the page
MARKDOWN.add_render_rule("heading_open", lambda *_: "<p><strong>")
MARKDOWN.add_render_rule("heading_close", lambda *_: "</strong></p>\n")
