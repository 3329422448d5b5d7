"""How is an event said in Slack, or in whatever takes Slack's incoming webhooks? Blocks, with the text as fallback.

Everything that people typed is escaped and kept on one line: no mention, link or line of theirs gets into a channel.
"""

from collections.abc import Mapping
from typing import Any

from portal.audit.event_types import actor_of
from portal.audit.models import Event
from portal.notifications.email import one_line
from portal.webhooks.payloads import as_json

SHORT, LONG = 150, 300
MOST_ISSUES = 5
TONES = {"good": ":white_check_mark:", "warn": ":warning:", "bad": ":red_circle:", "accent": ":arrow_right:"}


def plain(text: Any, most: int = SHORT) -> str:
    """A text of others as Slack shows it: as it was typed, without meaning."""
    short = one_line(str(text))
    short = short if len(short) <= most else short[: most - 1] + "…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "@\u2060")


def link(address: str, text: Any) -> str:
    """A link of ours around a text of theirs. A bar in it would end the address."""
    return f"<{address}|{plain(text).replace('|', '¦')}>"


def body_of(event: Event, told: Mapping[str, Any]) -> str:
    """The message of one event; `told` is its payload."""
    data = told["data"]
    what, tone, _ = event.words
    row, partner = data["integration"], data["partner"]
    headline = f"{TONES.get(tone, ':small_blue_diamond:')} {plain(actor_of(event))} {plain(what, LONG)}"
    place = f"*{link(row['url'], row['name'])}* by {plain(partner['name'])}"
    lines = [f"{link(issue['url'], issue['name'])}, due {plain(issue['due'])}" for issue in data.get("issues", ())]
    blocks: list[dict[str, Any]] = [section("\n".join([headline, place, *lines[:MOST_ISSUES]]))]
    blocks.append(context(f"{told['type']} · {event.at:%a} {event.at.day} {event.at:%b, %H:%M} UTC"))
    return message(
        f"{plain(row['name'])} by {plain(partner['name'])}: {plain(actor_of(event))} {plain(what, LONG)}", blocks
    )


def test_body(told: Mapping[str, Any]) -> str:
    sentence = plain(told["data"]["sentence"])
    return message(sentence, [section(f":wave: {sentence}"), context(str(told["type"]))])


def message(text: str, blocks: list[dict[str, Any]]) -> str:
    return as_json({"text": text, "blocks": blocks, "link_names": False, "unfurl_links": False, "unfurl_media": False})


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def context(text: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "plain_text", "text": text, "emoji": False}]}
