"""Inline components: badges, buttons, and people."""

import re
from collections.abc import Mapping
from typing import Protocol

from django.contrib.messages.storage.base import Message
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from portal.ui.components.markup import ENVIRONMENT, TONE_ICONS, TONES, component, register, require_choice

# icon, tone, and label of each status of a check or requirement
OUTCOMES: dict[str, tuple[str, str, str]] = {
    "pass": ("check", "good", gettext_noop("Passed")),
    "warn": ("triangle-alert", "warn", gettext_noop("Warning")),
    "fail": ("x", "bad", gettext_noop("Failed")),
    "error": ("cloud-alert", "info", gettext_noop("Error")),
    "not_run": ("circle-dashed", "neutral", gettext_noop("Not run")),
    "waived": ("stamp", "info", gettext_noop("Waived")),
    "stale": ("history", "warn", gettext_noop("Stale")),
    "expired": ("history", "warn", gettext_noop("Expired")),
    "open": ("circle", "neutral", gettext_noop("Open")),
    "awaiting_other_party": ("hourglass", "info", gettext_noop("In progress")),
    "met": ("check", "good", gettext_noop("Complete")),
    "submitted": ("check", "good", gettext_noop("Submitted")),
    "not_applicable": ("minus", "neutral", gettext_noop("Not applicable")),
}
EMAIL_PARTS = re.compile(r"(?=[@.])")
BUTTON_TONES = ("primary", "secondary", "quiet", "danger")
MESSAGE_TONES = {"success": "good", "warning": "warn", "error": "bad"}


class Person(Protocol):
    """Person with a name, which can be empty, and an email address."""

    name: str
    email: str


@component
def badge(text: object, *, tone: str = "neutral", icon: str = "") -> Mapping[str, object]:
    """Render a badge with an icon and a tone."""
    default_icon = TONE_ICONS[require_choice(tone, TONES, "tone")]
    return {"icon": icon or default_icon}


@register.simple_tag
def outcome(value: str, *, text: str = "") -> SafeString:
    """Render the badge of a check outcome or requirement status. `text` replaces the default label."""
    icon, tone, label = OUTCOMES[require_choice(value, OUTCOMES, "outcome")]
    return badge(text or _(label), tone=tone, icon=icon)


ENVIRONMENT.filters["outcome"] = outcome


@component
def tally(counts: Mapping[str, int]) -> Mapping[str, object]:
    """Render counts for a narrow cell, such as "14 ✓ 1 !", with labels for screen readers."""
    outcomes = {value: OUTCOMES[require_choice(value, OUTCOMES, "outcome")] for value in counts}
    visible = [(int(count), *outcomes[value]) for value, count in counts.items() if count]
    return {"parts": [(count, tone, icon, _(label).lower()) for count, icon, tone, label in visible]}


@component
def button(
    text: object,
    *,
    tone: str = "secondary",
    icon: str = "",
    name: str = "",
    value: str = "",
    form: str = "",
    formaction: str = "",
    disabled: str = "",
    small: bool = False,
    novalidate: bool = False,
    hx_post: str = "",
) -> None:
    """Render a button. `disabled` is the reason as a sentence. A disabled button stays focusable and shows it."""
    require_choice(tone, BUTTON_TONES, "tone")


@component
def link_button(
    text: object,
    *,
    href: str,
    tone: str = "secondary",
    icon: str = "",
    small: bool = False,
    external: bool = False,
    disabled: str = "",
    about: str = "",
) -> None:
    """Render a link as a button. With `disabled`, render a disabled button with the reason.

    Screen readers add what it is `about`, to tell links with the same text apart.
    """
    require_choice(tone, BUTTON_TONES, "tone")


@component
def link(text: object, *, href: str, about: str = "", external: bool = False) -> None:
    """Render a link. Screen readers add what it is `about`, to tell links with the same text apart."""


@component
def option(text: object, *, hint: str) -> None:
    """Render the label of a radio button or checkbox with a hint."""


@register.filter("message_tone")
def get_message_tone(message: Message) -> str:
    """Return the banner tone of a Django message."""
    return MESSAGE_TONES.get(message.level_tag, "info")


@register.filter("initials")
def get_initials(who: Person) -> str:
    """Return one or two initials of a person."""
    name = who.name or who.email
    words = [word for word in name.split() if word[0].isalnum()]
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper() or "?"


ENVIRONMENT.filters["initials"] = get_initials


@component
def email_address(text: str) -> Mapping[str, object]:
    """Render an email address that wraps before the domain and its parts, not within a word."""
    return {"parts": EMAIL_PARTS.split(text)}


@component
def person(who: Person | None, *, mail: bool = True, role: str = "") -> None:
    """Render the name and email address of a person, or the portal for None."""


@register.filter("file_size")
def format_file_size(byte_count: int | None) -> str:
    """Return a size in decimal units, such as "812 B", "14 kB", or "1.2 MB"."""
    if byte_count is None:
        return ""
    if byte_count < 1000:
        return f"{byte_count} B"
    # The limits round up to 1000 of the unit.
    if byte_count < 999_500:
        return f"{byte_count / 1000:.0f} kB"
    if byte_count < 999_950_000:
        return f"{byte_count / 1_000_000:.1f} MB"
    return f"{byte_count / 1_000_000_000:.1f} GB"
