"""Inline components: badges, buttons, and people."""

from collections.abc import Mapping
from typing import Protocol

from django.contrib.messages.storage.base import Message
from django.forms.utils import flatatt
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.ui.components.markup import (
    EMPTY,
    TONE_ICONS,
    TONES,
    component,
    format_markup,
    register,
    render_icon,
    require_choice,
)

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
    "awaiting_other_party": ("hourglass", "info", gettext_noop("Awaiting other party")),
    "met": ("check", "good", gettext_noop("Complete")),
    "submitted": ("check", "good", gettext_noop("Submitted")),
    "not_applicable": ("minus", "neutral", gettext_noop("Not applicable")),
}
BUTTON_TONES = ("primary", "secondary", "quiet", "danger")
BLOCKED_BUTTON = (
    '<span class="button-blocked"><button type="button" class="{0}" aria-disabled="true">{1}{2}'
    '<span class="visually-hidden">, {3} {4}</span></button><span class="reason" aria-hidden="true">{4}</span></span>'
)
EXTERNAL_BUTTON = (
    '<a class="{}" href="{}" rel="noopener noreferrer" target="_blank">{}{}{}'
    '<span class="visually-hidden"> {}</span></a>'
)
MESSAGE_TONES = {"success": "good", "warning": "warn", "error": "bad"}


class Person(Protocol):
    """Person with a name, which can be empty, and an email address."""

    name: str
    email: str


@register.simple_tag
def badge(text: object, *, tone: str = "neutral", icon: str = "") -> SafeString:
    """Render a badge with an icon and a tone."""
    tone = require_choice(tone, TONES, "tone")
    mark = render_icon(icon or TONE_ICONS[tone], 14)
    return format_markup('<span class="badge tone-{}">{}{}</span>', tone, mark, text)


@register.simple_tag
def outcome(value: str, *, text: str = "") -> SafeString:
    """Render the badge of a check outcome or requirement status. `text` replaces the default label."""
    name, tone, word = OUTCOMES[require_choice(value, OUTCOMES, "outcome")]
    return badge(text or _(word), tone=tone, icon=name)


@register.simple_tag
def tally(counts: Mapping[str, int]) -> SafeString:
    """Render counts for a narrow cell, such as "14 ✓ 1 !", with labels for screen readers."""
    parts = []
    for value, count in counts.items():
        name, tone, word = OUTCOMES[require_choice(value, OUTCOMES, "outcome")]
        said_word = _(word).lower()
        words = f"{int(count)} {said_word}"
        if count:
            parts.append(
                f'<span class="tone-{tone}" title="{words}">{int(count)}{render_icon(name, 14)}'
                f'<span class="visually-hidden"> {said_word}</span></span>'
            )
    return SafeString(f'<span class="tally">{" ".join(parts)}</span>')


@register.simple_tag
def button(
    text: object,
    *,
    tone: str = "secondary",
    icon: str = "",
    name: str = "",
    value: str = "",
    kind: str = "submit",
    form: str = "",
    formaction: str = "",
    disabled: str = "",
    small: bool = False,
    novalidate: bool = False,
    hx_post: str = "",
    hx_get: str = "",
    hx_target: str = "",
    hx_swap: str = "",
) -> SafeString:
    """Render a button. `disabled` is the reason as a sentence. A disabled button stays focusable and shows it."""
    css_class, mark = _build_button_class(tone, small=small), render_icon(icon) if icon else EMPTY
    if disabled:
        return format_markup(BLOCKED_BUTTON, css_class, mark, text, _("not available:"), disabled)
    attributes = {
        "name": name,
        "value": value,
        "form": form,
        "formaction": formaction,
        "formnovalidate": novalidate,
        "hx-post": hx_post,
        "hx-get": hx_get,
        "hx-target": hx_target,
        "hx-swap": hx_swap,
    }
    given = flatatt({key: each for key, each in attributes.items() if each})
    return format_markup('<button type="{}" class="{}"{}>{}{}</button>', kind, css_class, given, mark, text)


@register.simple_tag
def link_button(
    text: object,
    *,
    href: str,
    tone: str = "secondary",
    icon: str = "",
    small: bool = False,
    external: bool = False,
    disabled: str = "",
) -> SafeString:
    """Render a link as a button. With `disabled`, render a disabled button with the reason."""
    if disabled:
        return button(text, tone=tone, icon=icon, small=small, disabled=disabled)
    css_class, mark = _build_button_class(tone, small=small), render_icon(icon) if icon else EMPTY
    if not external:
        return format_markup('<a class="{}" href="{}">{}{}</a>', css_class, href, mark, text)
    end = render_icon("external-link", 14)
    return format_markup(EXTERNAL_BUTTON, css_class, href, mark, text, end, _("(opens in a new tab)"))


def _build_button_class(tone: str, *, small: bool) -> SafeString:
    tone = require_choice(tone, BUTTON_TONES, "tone")
    return SafeString(f"button button-{tone}{' button-small' if small else ''}")


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


@component
def person(who: Person | None, *, mail: bool = True, role: str = "") -> None:
    """Render the name and email address of a person, or the portal for None."""


@register.filter("file_size")
def format_file_size(octets: int | None) -> str:
    """Return a size in decimal units, such as "812 B", "14 kB", or "1.2 MB"."""
    if octets is None:
        return ""
    if octets < 1000:
        return f"{octets} B"
    if octets < 1_000_000:
        return f"{octets / 1000:.0f} kB"
    if octets < 1_000_000_000:
        return f"{octets / 1_000_000:.1f} MB"
    return f"{octets / 1_000_000_000:.1f} GB"
