"""Microsoft Teams messages of events, as Adaptive Cards for the webhook trigger of Workflows.

All user input is in text runs, which Teams displays literally, so it can't create mentions, links, or formatting.
"""

from datetime import UTC

from django.utils.translation import gettext as _

from portal.audit.models import AuditEvent
from portal.core.value_types import JsonObject
from portal.ui.components.moments import format_in_zone
from portal.webhooks.chat_text import LONG_TEXT_LENGTH, MAX_ISSUES, shorten_text
from portal.webhooks.payloads import serialize_json

# Workflows creates URLs on the first host; URLs on the second one are older and still work.
HOSTS = (".api.powerplatform.com", ".logic.azure.com")
CARD_TYPE = "application/vnd.microsoft.card.adaptive"
CARD_VERSION = "1.4"
TONE_COLORS = {"good": "Good", "warn": "Warning", "bad": "Attention", "accent": "Accent"}


def is_teams_host(host: str) -> bool:
    """Return whether a host receives messages for Workflows."""
    return host.lower().endswith(HOSTS)


def build_body(event: AuditEvent, payload: JsonObject) -> str:
    """Return the Teams message of an event with its payload."""
    data = payload["data"]
    row = data["integration"]
    partner = data["partner"]
    summary = f"{shorten_text(event.actor_name)} {shorten_text(event.action, LONG_TEXT_LENGTH)}"
    lines = [
        [build_run(summary, weight="Bolder", color=TONE_COLORS.get(event.type.tone, "Default"))],
        [build_run(shorten_text(row["name"]), url=row["url"]), build_run(f" by {shorten_text(partner['name'])}")],
        *(
            [build_run(shorten_text(issue["name"]), url=issue["url"]), build_run(f", due {issue['due_at']}")]
            for issue in data.get("issues", ())[:MAX_ISSUES]
        ),
    ]
    return build_message(lines, f"{payload['type']} · {format_in_zone(event.at, UTC)} UTC")


def build_test_body(payload: JsonObject) -> str:
    return build_message([[build_run(shorten_text(payload["data"]["summary"]))]], str(payload["type"]))


def build_message(lines: list[list[JsonObject]], footer: str) -> str:
    """Return a message with one card: a line per list of text runs, and a footer."""
    lines = [*lines, [build_run(footer, size="Small", isSubtle=True)]]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": CARD_VERSION,
        "body": [{"type": "RichTextBlock", "inlines": runs} for runs in lines],
    }
    return serialize_json({"type": "message", "attachments": [{"contentType": CARD_TYPE, "content": card}]})


def build_run(text: str, *, url: str = "", **style: object) -> JsonObject:
    """Return a text run, which opens a URL if there is one."""
    action = {"selectAction": {"type": "Action.OpenUrl", "url": url}} if url else {}
    return {"type": "TextRun", "text": text, **style, **action}


def build_host_message() -> str:
    return _("Enter the URL that Workflows shows in Teams. Its host ends in api.powerplatform.com or logic.azure.com.")
