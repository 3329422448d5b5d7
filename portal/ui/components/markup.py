"""HTML helpers of components: escaped strings for small components and templates for large ones."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from html import escape
from importlib.resources import files
from io import BytesIO
from typing import ParamSpec
from xml.etree import ElementTree
from zipfile import ZipFile

from django import template
from django.template import loader
from django.utils.safestring import SafeString

P = ParamSpec("P")
register = template.Library()
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


@register.simple_tag(name="icon")
@cache
def render_icon(name: str, size: int = 16) -> SafeString:
    """Return an icon of Lucide that is hidden from screen readers. Raises KeyError for unknown names."""
    svg = ElementTree.fromstring(_open_icons().read(f"{name}.svg"))  # noqa: S314 - a file of the package
    for node in svg.iter():
        node.tag = node.tag.rpartition("}")[2]  # SVG within HTML needs no namespace
    svg.attrib |= {"width": str(size), "height": str(size), "class": "icon", "aria-hidden": "true"}
    drawing = ElementTree.tostring(svg, encoding="unicode")
    return SafeString("".join(line.strip() for line in drawing.splitlines()))


@cache
def _open_icons() -> ZipFile:
    """Return Lucide's archive with its list of 1,700 files, which Lucide would read again for each icon."""
    return ZipFile(BytesIO((files("lucide") / "lucide.zip").read_bytes()))


def format_markup(markup: str, *values: object) -> SafeString:
    """Return markup with escaped values, as format_html does, which takes twenty calls to escape each of them."""
    parts = [value.__html__() if hasattr(value, "__html__") else escape(str(value)) for value in values]
    return SafeString(markup.format(*parts))


def format_part(markup: str, value: object) -> SafeString:
    """Return the markup around an escaped value, or nothing without one."""
    return format_markup(markup, value) if value else EMPTY


def component(build: Callable[P, Mapping[str, object] | None]) -> Callable[P, SafeString]:
    """Make a template tag of a function, which renders templates/ui/components/NAME.html with the name of the function.

    The template gets the arguments of the function, with the content without surrounding whitespace, and the values
    that the function returns, if any. A function with content becomes a block tag.
    """
    name, parameters = build.__name__, inspect.signature(build).parameters
    # a page has about 60 components, and binding the arguments of each to the signature takes longer than this
    defaults = {key: each.default for key, each in parameters.items() if each.default is not each.empty}
    is_variadic = any(each.kind is each.VAR_POSITIONAL for each in parameters.values())
    positional_names = () if is_variadic else tuple(parameters)

    @wraps(build)
    def render(*args: P.args, **kwargs: P.kwargs) -> SafeString:
        extra_values = build(*args, **kwargs) or {}  # refuses arguments that don't fit
        values = {**defaults, **dict(zip(positional_names, args, strict=False)), **kwargs}
        if "content" in values:
            values["content"] = SafeString(str(values["content"]).strip())
        markup = loader.get_template(f"ui/components/{name}.html")
        return SafeString(markup.render({**values, **extra_values}).strip())

    add_tag = register.simple_block_tag if "content" in parameters else register.simple_tag
    return add_tag(render)
