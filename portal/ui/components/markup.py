"""How does a component become HTML? Escaped strings for the small ones, a template for the large ones."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.template import loader
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from lucide import _render_icon as draw

EMPTY = SafeString("")
TONES = ("neutral", "accent", "good", "warn", "bad", "info")
TONE_ICONS = {
    "neutral": "circle-dot",
    "accent": "arrow-right",
    "good": "circle-check",
    "warn": "triangle-alert",
    "bad": "circle-x",
    "info": "info",
}


def require_choice(value: str, options: tuple[str, ...] | Mapping[str, Any], what: str) -> str:
    """The value as a plain string; raises ValueError naming the options on anything else."""
    if value not in options:
        raise ValueError(f"{what} must be one of {', '.join(options)}, not {value!r}.")
    return str(value)


@cache
def render_icon(name: str, size: int = 16) -> SafeString:
    """A drawn icon, hidden from screen readers: the word beside it speaks. Unknown names raise."""
    drawing = draw(name, size, **{"class": "icon", "aria-hidden": "true"})
    return SafeString("".join(line.strip() for line in drawing.splitlines()))


def render_attributes(values: Mapping[str, Any]) -> SafeString:
    """` name="value"` for everything that is neither None, False nor blank; True is the bare name."""
    parts = []
    for name, value in values.items():
        if value is None or value is False or value == "":
            continue
        key = name.replace("_", "-")
        parts.append(f" {key}" if value is True else format_html(' {}="{}"', key, value))
    return SafeString("".join(parts))


def render_component(template: str, **values: Any) -> SafeString:
    """The component template, filled with these values only: nothing leaks in from the page."""
    return SafeString(loader.get_template(f"ui/components/{template}.html").render(values))


def trim(content: str) -> SafeString:
    """The content of a block without the white space around it; str.strip would forget that it is safe."""
    return SafeString(content.strip())


def wrap(tag: str, classes: str, content: Any) -> SafeString:
    """Content, escaped unless safe, inside one element."""
    return format_html('<{} class="{}">{}</{}>', SafeString(tag), classes, conditional_escape(content), SafeString(tag))
