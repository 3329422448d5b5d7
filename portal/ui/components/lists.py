"""Navigation and list components: breadcrumbs, tabs, pagination, meters, code, and form footers."""

from collections.abc import Iterable, Mapping
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Protocol

from django.core.paginator import Page
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.ui.components.markup import (
    EMPTY,
    component,
    format_markup,
    format_part,
    register,
    render_icon,
    require_choice,
)

# kinds of meter segments
SEGMENTS = ("counted", "paused", "left", "over")


@component
def crumbs(*trail: str) -> Mapping[str, object]:
    """Render breadcrumbs from alternating labels and URLs. The last label is the current page."""
    return {"pairs": list(zip_longest(trail[::2], trail[1::2], fillvalue=""))}


class NavigationLink(Protocol):
    """Link of the page frame. `current`: the value of aria-current, blank on other pages."""

    @property
    def label(self) -> str: ...
    @property
    def icon(self) -> str: ...
    @property
    def href(self) -> str: ...
    @property
    def current(self) -> str: ...


@register.simple_tag
def navigation_links(links: Iterable[NavigationLink]) -> SafeString:
    """Render a list of links to pages, with their icons if they have one."""
    return format_markup("<ul>{}</ul>", SafeString("".join([_render_navigation_link(link) for link in links])))


def _render_navigation_link(link: NavigationLink) -> SafeString:
    current = format_part(' aria-current="{}"', link.current)
    mark = render_icon(link.icon) if link.icon else EMPTY
    return format_markup('<li><a href="{}"{}>{}<span>{}</span></a></li>', link.href, current, mark, link.label)


@component
def tabs(content: str, *, label: str) -> None:
    """Render the navigation around tabs."""


@register.simple_tag
def tab(text: object, *, href: str, current: object = False, count: int | None = None) -> SafeString:
    """Render a tab as a link."""
    number = EMPTY if count is None else format_html(' <span class="count">{}</span>', count)
    current_page = SafeString(' aria-current="page"') if current else EMPTY
    return format_html('<li><a href="{}"{}>{}{}</a></li>', href, current_page, text, number)


@register.simple_tag(takes_context=True)
def pagination(context: Context, page: Page, *, param: str = "page") -> SafeString:
    """Render links to the previous and next page, which keep the query. A single page renders nothing."""
    if page.paginator.num_pages < 2:
        return EMPTY
    query = context["request"].GET.copy()

    def address(number: int, link: str) -> str:
        query[param] = getattr(page, link, str(number))
        return f"?{query.urlencode()}"

    previous = address(page.number - 1, "previous_link") if page.has_previous() else ""
    following = address(page.number + 1, "next_link") if page.has_next() else ""
    values = {"page": page, "previous": previous, "following": following}
    return render_to_string("ui/components/pagination.html", values)


@register.simple_tag
def meter(segments: Iterable[tuple[str, float]], *, label: str, total: float | None = None) -> SafeString:
    """Render a bar of (kind, amount) segments with a total (by default their sum).

    `label` is the text alternative, such as "36 h of 48 h used". Adjacent segments of the same kind are merged, and
    empty ones are left out.
    """
    checked_segments = [
        (require_choice(kind, SEGMENTS, "segment"), float(amount)) for kind, amount in segments if amount
    ]
    pieces = [(kind, sum(amount for _, amount in run)) for kind, run in groupby(checked_segments, key=itemgetter(0))]
    whole = max(total or 0.0, sum(amount for _, amount in pieces)) or 1.0
    parts, offset, mark = [], 0.0, EMPTY
    for kind, amount in pieces:
        width = 100 * amount / whole
        parts.append(_render_piece(kind, offset, width))
        if kind == "over" and not mark:
            mark = format_html('<rect class="meter-due" x="{}" width="2" height="8"/>', f"{offset:.2f}%")
        offset += width
    return format_html(
        '<svg class="meter" role="img" aria-label="{}"><rect class="meter-track" width="100%" height="8"/>{}</svg>',
        label,
        format_html_join("", "{}", ((part,) for part in (*parts, mark))),
    )


def _render_piece(kind: str, offset: float, width: float) -> SafeString:
    """Render a segment of a meter. Pauses are hatched, so that they don't depend on color."""
    end = offset + width
    if kind == "paused":
        return SafeString(f'<line class="meter-paused" x1="{offset:.2f}%" x2="{end:.2f}%" y1="4" y2="4"/>')
    x, whole = f"{offset:.2f}%", f"{width:.2f}%"
    return format_html('<rect class="meter-{}" x="{}" width="{}" height="8"/>', kind, x, whole)


@register.simple_tag
def code(text: object, *, copy: bool = False) -> SafeString:
    """Render inline code, optionally with a copy button."""
    if not copy:
        return format_html('<code class="mono">{}</code>', text)
    return format_html(
        '<span class="copyable"><code class="mono">{0}</code><button type="button" class="icon-button" '
        'data-copy="{0}" hidden>{1}<span class="visually-hidden">{2}</span></button></span>',
        text,
        render_icon("copy", 14),
        format_html(_("Copy {text}"), text=text),
    )


@component
def code_block(text: object, *, label: str) -> None:
    """Render a code block with a copy button. `label` is its accessible name."""


@component
def form_footer(
    content: str,
    *,
    label: str,
    tone: str = "primary",
    icon: str = "",
    saved_at: object = None,
    draft: bool = False,
    cancel: str = "",
    disabled: str = "",
    name: str = "",
    value: str = "",
) -> None:
    """Render the buttons of a form: primary button, further buttons (content), cancel link, and draft status."""


@component
def draft_line(*, saved_at: object = None) -> None:
    """Render the save status of a draft, which the script updates."""
