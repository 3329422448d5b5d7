"""Emails rendered from one Markdown source each.

`templates/notifications/email/NAME.md` is a Django template. Its first paragraph is the subject, its second the
recipient's next action. After a line of three hyphens comes the reason why the recipient gets the email. Without a
reason, the email is about an integration.

The text part is the rendered source, with each link as its label and URL. For the HTML part the source becomes HTML
*before* Django fills in the values: a value is never read as Markdown, and autoescaping covers what it contains. So
no one can inject markup with a name.

People can edit the subject and the Markdown of some emails. Their text becomes HTML by the rules for text of users.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import ZoneInfo

from css_inline import CSSInliner
from django.conf import settings
from django.template import Context, Engine, Template
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from markdown_it import MarkdownIt
from markdown_it.token import Token

from portal.core.value_types import TemplateContext
from portal.ui.markdown import UserMarkdown

INTEGRATION_REASON = '{% include "notifications/email/reason.md" %}'
MAX_SUBJECT_LENGTH = 240
BLANK_LINES = re.compile(r"\n[ \t]*(\n[ \t]*)+\n")  # what absent parts of a text leave behind
LINK = re.compile(  # in a source; its label and URL may contain template tags
    r"\[([^\]\n]+)\]\(<([^>\n]+)>\)"
)
TAG = re.compile(r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}|{%.*?%}|{{.*?}}", re.DOTALL)
BLOCK_TAG = re.compile(
    r"{%\s*(?:if|elif|else|endif|for|empty|endfor|with|endwith|quote|data_table|bar_chart|blocktranslate[^%]*\basvar)\b"
)
BLOCK_LINE = re.compile(r"^((?:TAG\d+BLOCK)+)(?:$|(?=- ))", re.MULTILINE)
HIDDEN_BLOCK = re.compile(r"<!--((?:TAG\d+BLOCK)+)-->")
HIDDEN_TAG = re.compile(r"TAG(\d+)(?:BLOCK|INLINE)")
MARKDOWN_SYNTAX = re.compile(r"[\\`*_\[\]<>#|~&]|^[-+=]|(?<=^\d)[.)]")
MARKDOWN_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
ADJACENT_LISTS = re.compile(r"</ul>\s*<ul>")  # one list for each round of a loop
# Email clients may ignore style sheets: what applies in light mode is repeated in style attributes.
INLINER = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)


@dataclass(frozen=True, slots=True)
class RenderedEmail:
    """A subject and the two bodies of an email."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class EmailDraft:
    """Subject and Markdown of an email that people can edit. The layout adds the reason and the preferences."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class EmailTemplate:
    """The compiled parts of one source."""

    subject: Template
    markdown: Template
    text: Template
    html: Template
    reason: Template


def render(name: str, context: Mapping[str, object], draft: EmailDraft | None = None) -> RenderedEmail:
    """Render an email; previews use it too. `draft` replaces the subject and the body of the template.

    Times are in the recipient's time zone, never in that of the person who caused the email. The language is the
    portal's own, because no one says which language they read.
    """
    with _open_template(name, context) as (template, values):
        plain = Context(values, autoescape=False)
        escaped = Context(values)
        if draft:
            subject = flatten_text(draft.subject)
            html = _render_draft_html(draft.body)
            text = MARKDOWN_ESCAPE.sub(r"\1", LINK.sub(r"\1: \2", draft.body))
        else:
            subject = _render_subject(template, plain)
            text = template.text.render(plain)
            html = ADJACENT_LISTS.sub("", template.html.render(escaped))
        text_parts = {"body": text, "reason": template.reason.render(plain).strip()}
        html_parts = {"body": SafeString(html), "reason": template.reason.render(escaped)}
        layout_values = values | {"subject": subject}
        return RenderedEmail(
            subject=subject,
            text=BLANK_LINES.sub(
                "\n\n", render_to_string("notifications/email/base.txt", layout_values | text_parts)
            ).strip()
            + "\n",
            html=INLINER.inline(render_to_string("notifications/email/base.html", layout_values | html_parts)),
        )


def render_draft(name: str, context: Mapping[str, object]) -> EmailDraft:
    """Render the subject and the Markdown that people can edit."""
    with _open_template(name, context) as (template, values):
        escaped = {name: _escape_markdown(name, value) for name, value in values.items()}
        body = BLANK_LINES.sub("\n\n", template.markdown.render(Context(escaped, autoescape=False))).strip()
        return EmailDraft(_render_subject(template, Context(values, autoescape=False)), body)


def _escape_markdown(name: str, value: object) -> object:
    """Return a value that the Markdown of a draft shows as it is. Pages are link targets, and a note is Markdown."""
    if not isinstance(value, str) or name == "note" or name.endswith("page"):
        return value
    return MARKDOWN_SYNTAX.sub(r"\\\g<0>", flatten_text(value))


@contextmanager
def _open_template(name: str, context: Mapping[str, object]) -> Iterator[tuple[EmailTemplate, TemplateContext]]:
    """Compile a template and switch to the time zone and the language of the email."""
    values = {"site": settings.SITE_URL, "mail_from": settings.DEFAULT_FROM_EMAIL, **context}
    zone = ZoneInfo(getattr(values.get("person"), "zone", "UTC"))
    source = Engine.get_default().get_template(f"notifications/email/{name}.md").source
    with timezone.override(zone), translation.override(settings.LANGUAGE_CODE):
        yield _compile(source), values


def _render_subject(template: EmailTemplate, plain: Context) -> str:
    return Truncator(flatten_text(template.subject.render(plain))).chars(MAX_SUBJECT_LENGTH)


def flatten_text(text: str) -> str:
    """Return a text that fits a header: no line ends, control characters, or changes of the writing direction."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


@lru_cache(maxsize=200)
def _compile(source: str) -> EmailTemplate:
    """Split and compile a source. The cache key is the text, so an edited file takes effect without a restart."""
    subject, _, rest = source.partition("\n\n")
    body, _, reason = rest.partition("\n---\n")
    parts = (subject, body, LINK.sub(r"\1: \2", body), convert_to_html(body), reason or INTEGRATION_REASON)
    return EmailTemplate(*map(Engine.get_default().from_string, parts))


def convert_to_html(source: str) -> str:
    """Convert the Markdown of a Django template to the HTML of one; tags pass through unread."""
    tags: list[str] = []

    def hide_tag(match: re.Match[str]) -> str:
        tags.append(match[0])
        return f"TAG{len(tags) - 1}{'BLOCK' if BLOCK_TAG.match(match[0]) else 'INLINE'}"

    hidden = TAG.sub(hide_tag, source)
    # A line of tags alone stands between blocks. Markdown keeps comments as they are, and they end a paragraph.
    action, blank_line, rest = (
        BLOCK_LINE.sub(lambda match: f"<!--{match[1]}-->\n", part) for part in hidden.partition("\n\n")
    )
    markdown = MarkdownIt("commonmark", {"breaks": True})
    html = _render_markdown(markdown, action + blank_line + rest, action.count("\n"))
    return HIDDEN_TAG.sub(lambda match: tags[int(match[1])], HIDDEN_BLOCK.sub(r"\1", html))


def _render_draft_html(body: str) -> str:
    """Render the Markdown of an edited email, with its first paragraph as the next action."""
    markdown = UserMarkdown("commonmark", {"html": False, "breaks": True}).disable("image")
    return _render_markdown(markdown, body, 0)


def _render_markdown(markdown: MarkdownIt, source: str, last_action_line: int) -> str:
    tokens = markdown.parse(source)
    _mark_action_and_buttons(tokens, last_action_line)
    return markdown.renderer.render(tokens, markdown.options, {})


def _mark_action_and_buttons(tokens: list[Token], last_action_line: int) -> None:
    """Mark the variants of the reader's next action, and each paragraph that is a single link as a button."""
    paragraphs = [(token, tokens[index + 1]) for index, token in enumerate(tokens) if token.type == "paragraph_open"]
    for paragraph, content in paragraphs:
        children = content.children or []
        links = [child for child in children if child.type == "link_open"]
        if paragraph.map is not None and paragraph.map[0] <= last_action_line:
            paragraph.attrs["class"] = "action"
        elif len(links) == 1 and children[0] is links[0] and children[-1].type == "link_close":
            links[0].attrs["class"] = "button"
