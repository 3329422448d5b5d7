"""HTML helpers of components: escaped strings for small components and templates for large ones."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import ParamSpec

from django.template import loader
from django.utils.html import format_html
from django.utils.safestring import SafeString
from lucide import _render_icon as draw

P = ParamSpec("P")
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


def component(name: str) -> Callable[[Callable[P, Mapping[str, object]]], Callable[P, SafeString]]:
    """Make a component of a function, which renders templates/ui/components/NAME.html.

    The template gets the arguments of the function, with the content without surrounding whitespace, and the values
    that the function returns.
    """

    def decorate(build: Callable[P, Mapping[str, object]]) -> Callable[P, SafeString]:
        signature = inspect.signature(build)

        @wraps(build)
        def render(*args: P.args, **kwargs: P.kwargs) -> SafeString:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            values = bound.arguments
            if "content" in values:
                values["content"] = SafeString(values["content"].strip())
            template = loader.get_template(f"ui/components/{name}.html")
            return SafeString(template.render({**values, **build(*args, **kwargs)}))

        return render

    return decorate
