"""HTML helpers of components: escaped strings for small components and templates for large ones."""

from collections.abc import Mapping
from functools import cache

from django.template import loader
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django_stubs_ext import StrOrPromise
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


def require_choice(value: str, options: tuple[str, ...] | Mapping[str, object], what: str) -> str:
    """Return the value as a string, or raise ValueError with the options."""
    if value not in options:
        raise ValueError(f"{what} must be one of {', '.join(options)}, not {value!r}.")
    return str(value)


@cache
def render_icon(name: str, size: int = 16) -> SafeString:
    """Return an icon that is hidden from screen readers. Unknown names raise an error."""
    drawing = draw(name, size, **{"class": "icon", "aria-hidden": "true"})
    return SafeString("".join(line.strip() for line in drawing.splitlines()))


def render_attributes(values: Mapping[str, object]) -> SafeString:
    """Return HTML attributes without None, False, and empty values. True renders only the name."""
    parts = []
    for name, value in values.items():
        if value is None or value is False or value == "":
            continue
        key = name.replace("_", "-")
        parts.append(f" {key}" if value is True else format_html(' {}="{}"', key, value))
    return SafeString("".join(parts))


def render_component(template: str, **values: object) -> SafeString:
    """Render a component template with only these values."""
    return SafeString(loader.get_template(f"ui/components/{template}.html").render(values))


def trim(content: str) -> SafeString:
    """Return safe content without surrounding whitespace, because str.strip returns an unsafe string."""
    return SafeString(content.strip())


def wrap(tag: str, classes: str, content: StrOrPromise) -> SafeString:
    """Return the escaped content in an element."""
    return format_html('<{} class="{}">{}</{}>', SafeString(tag), classes, conditional_escape(content), SafeString(tag))
