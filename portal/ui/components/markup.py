"""Components of pages: functions with typed parameters that render Jinja2 templates."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from importlib.resources import files
from io import BytesIO
from typing import ParamSpec
from uuid import UUID
from xml.etree import ElementTree
from zipfile import ZipFile

from django import template
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.utils import get_app_template_dirs
from django.templatetags.static import static
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.runtime import new_context
from markupsafe import Markup

P = ParamSpec("P")
register = template.Library()
EMPTY = SafeString("")
PLACEHOLDER = str(UUID(int=0))  # also a valid slug
TONES = ("neutral", "accent", "good", "warn", "bad", "info")
TONE_ICONS = {
    "neutral": "circle-dot",
    "accent": "arrow-right",
    "good": "circle-check",
    "warn": "triangle-alert",
    "bad": "circle-x",
    "info": "info",
}


# Not in TEMPLATES: Django would also search here for every optional template of a page.
ENVIRONMENT = Environment(
    loader=FileSystemLoader(get_app_template_dirs("jinja2")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=settings.DEBUG,
    undefined=StrictUndefined,
    optimized=False,  # the optimizer evaluates a filter of a constant only once, in one language
    # Jinja2 would escape a lazy message, which is trusted only as a string.
    finalize=lambda value: str(value) if isinstance(value, Promise) else value,
)
# a page has about 60 components, so the few calls of Jinja2's own cache count
get_template = ENVIRONMENT.get_template if settings.DEBUG else cache(ENVIRONMENT.get_template)


def _translate(message: str) -> Markup:
    """Return a message, which is trusted as in {% translate %}. The format filter escapes the values in it."""
    return Markup(gettext(message))  # noqa: S704


def _build_url(name: str, *args: object) -> str:
    return reverse(name, args=args) if args else _build_fixed_url(name)


@cache
def _build_fixed_url(name: str) -> str:
    """Return an address without arguments, which never changes while the process runs."""
    return reverse(name)


GLOBALS: dict[str, object] = {"_": _translate, "url": _build_url, "static": static}


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


ENVIRONMENT.filters |= {"icon": render_icon, "intcomma": intcomma}


@cache
def _open_icons() -> ZipFile:
    """Return Lucide's archive with its list of 1,700 files, which Lucide would read again for each icon."""
    return ZipFile(BytesIO((files("lucide") / "lucide.zip").read_bytes()))


def render(name: str, values: Mapping[str, object]) -> SafeString:
    """Render a template in the folder jinja2 of an app.

    Template.render would copy the globals of the environment, which takes longer than to render a small component.
    """
    template = get_template(name)
    context = new_context(ENVIRONMENT, template.name, template.blocks, {**GLOBALS, **values}, shared=True)
    return SafeString("".join(template.root_render_func(context)))


@cache
def split_url(name: str) -> tuple[str, ...]:
    """Return the parts of a page's URL around its UUID or slug, so that a list resolves its links only once."""
    return tuple(reverse(name, args=[PLACEHOLDER]).split(PLACEHOLDER))


def get_macro(template_name: str, name: str) -> Callable[..., Markup]:
    """Return a macro of a template."""
    return vars(get_template(template_name).module)[name]


def component(build: Callable[P, Mapping[str, object] | None]) -> Callable[P, SafeString]:
    """Make a template tag of a function, which renders jinja2/APP/components/NAME.html: its app, and its name.

    The template gets the arguments of the function, with the content escaped unless it is markup and without
    surrounding whitespace, and the values that the function returns, if any. A function with content becomes a block
    tag. Templates of other components can use it as a filter of its first argument.
    """
    name = build.__name__
    parameters = inspect.signature(build).parameters
    template_name = f"{build.__module__.split('.')[1]}/components/{name}.html"
    # a page has about 60 components, and binding the arguments of each to the signature takes longer than this
    defaults = {key: each.default for key, each in parameters.items() if each.default is not each.empty}
    is_variadic = any(each.kind is each.VAR_POSITIONAL for each in parameters.values())
    positional_names = () if is_variadic else tuple(parameters)
    has_content = "content" in parameters

    @wraps(build)
    def render_component(*args: P.args, **kwargs: P.kwargs) -> SafeString:
        extra_values = build(*args, **kwargs)  # refuses arguments that don't fit
        values = {**defaults, **dict(zip(positional_names, args, strict=False)), **kwargs}
        if has_content:
            values["content"] = SafeString(conditional_escape(values["content"]).strip())
        values.update(extra_values or {})
        return render(template_name, values)

    ENVIRONMENT.filters[name] = render_component
    add_tag = register.simple_block_tag if has_content else register.simple_tag
    return add_tag(render_component)
