"""Slack messages of events, as blocks with a text fallback.

All user input is escaped and kept on one line, so it can't create mentions, links, or lines in a channel.
"""

from datetime import UTC

from portal.audit.models import AuditEvent
from portal.core.value_types import JsonObject
from portal.ui.components.moments import format_in_zone
from portal.webhooks.chat_text import LONG_TEXT_LENGTH, MAX_ISSUES, SHORT_TEXT_LENGTH, shorten_text
from portal.webhooks.payloads import serialize_json

MAX_SECTION_LENGTH = 3000  # of a section's text in Slack's reference
# The three escapes that Slack documents. The word joiner keeps “@name” from becoming a mention.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@\u2060"})
TONE_EMOJI = {"good": ":white_check_mark:", "warn": ":warning:", "bad": ":red_circle:", "accent": ":arrow_right:"}


def escape_text(text: object, max_length: int = SHORT_TEXT_LENGTH) -> str:
    """Return user input that Slack displays literally, at most `max_length` characters with their escapes."""
    shortened_text = shorten_text(text, max_length)
    while len(escaped_text := shortened_text.translate(ESCAPES)) > max_length:
        shortened_text = shorten_text(shortened_text, len(shortened_text) - 1)
    return escaped_text


def build_link(url: str, text: object) -> str:
    """Return a link with user input as its text. A vertical bar in the text would end the URL."""
    return f"<{url}|{escape_text(text).replace('|', '¦')}>"


def build_body(event: AuditEvent, payload: JsonObject) -> str:
    """Return the Slack message of an event with its payload."""
    data = payload["data"]
    summary = f"{escape_text(event.actor_name)} {escape_text(event.action, LONG_TEXT_LENGTH)}"
    integration = data["integration"]
    partner = data["partner"]
    emoji = TONE_EMOJI.get(event.type.tone, ":small_blue_diamond:")
    subject_line = f"*{build_link(integration['url'], integration['name'])}* by {escape_text(partner['name'])}"
    lines = [
        f"{build_link(issue['url'], issue['name'])}, due {escape_text(issue['due_at'])}"
        for issue in data.get("issues", ())
    ]
    section = build_section([f"{emoji} {summary}", subject_line, *lines[:MAX_ISSUES]])
    context_block = build_context_block(f"{payload['type']} · {format_in_zone(event.at, UTC)} UTC")
    text = f"{escape_text(integration['name'])} by {escape_text(partner['name'])}: {summary}"
    return build_message(text, [section, context_block])


def build_test_body(payload: JsonObject) -> str:
    summary = escape_text(payload["data"]["summary"])
    return build_message(summary, [build_section([f":wave: {summary}"]), build_context_block(str(payload["type"]))])


def build_message(text: str, blocks: list[JsonObject]) -> str:
    return serialize_json(
        # Slack must not fetch the pages that a message links to, or look for names in it.
        {"text": text, "blocks": blocks, "link_names": False, "unfurl_links": False, "unfurl_media": False}
    )


def build_section(lines: list[str]) -> JsonObject:
    """Return a section with the lines that fit."""
    text = ""
    for line in lines:
        # Whole lines, because Slack refuses a longer message, and a part of a line could end within a link.
        if len(text) + len(line) < MAX_SECTION_LENGTH:
            text += f"\n{line}" if text else line
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def build_context_block(text: str) -> JsonObject:
    return {"type": "context", "elements": [{"type": "plain_text", "text": text, "emoji": False}]}
