"""Navigation and list components: breadcrumbs, tabs, pagination, meters, code, and form footers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, groupby, zip_longest
from operator import itemgetter

from django.core.paginator import Page
from django.template import Context
from django.utils.safestring import SafeString

from portal.ui.components.markup import EMPTY, component, register, render, require_choice

# kinds of meter segments
SEGMENTS = ("counted", "paused", "left", "over")


@component
def crumbs(*trail: str) -> Mapping[str, object]:
    """Render breadcrumbs from alternating labels and URLs. The last label is the current page."""
    return {"pairs": list(zip_longest(trail[::2], trail[1::2], fillvalue=""))}


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """Link of the page frame. `current`: the value of aria-current, blank on other pages."""

    label: str
    icon: str
    href: str
    current: str = ""


@component
def navigation_links(links: Iterable[NavigationLink]) -> None:
    """Render a list of links to pages, with their icons if they have one."""


@component
def tabs(content: str, *, label: str) -> None:
    """Render the navigation around tabs."""


@component
def tab(text: object, *, href: str, current: object = False, count: int | None = None) -> None:
    """Render a tab as a link."""


@register.simple_tag(takes_context=True)
def pagination(context: Context, page: Page, *, param: str = "page") -> SafeString:
    """Render links to the first, previous, next, and last page, which keep the query. One page renders nothing."""
    page_count = page.paginator.num_pages
    if page_count < 2:
        return EMPTY
    query = context["request"].GET.copy()

    def address(number: int, link: str) -> str:
        query[param] = getattr(page, link, str(number)) if link else str(number)
        return f"?{query.urlencode()}"

    links = {
        "first": address(1, "") if page.number > 2 else "",
        "previous": address(page.number - 1, "previous_link") if page.has_previous() else "",
        "following": address(page.number + 1, "next_link") if page.has_next() else "",
        "last": address(page_count, "") if page.number < page_count - 1 else "",
    }
    values = {"start": page.start_index(), "end": page.end_index(), "count": page.paginator.count}
    return render("ui/components/pagination.html", {**values, **links})


@component
def meter(segments: Iterable[tuple[str, float]], *, label: str, total: float | None = None) -> Mapping[str, object]:
    """Render a bar of (kind, amount) segments with a total (by default their sum).

    `label` is the text alternative, such as "36 h of 48 h used". Adjacent segments of the same kind are merged, and
    empty ones are left out.
    """
    checked_segments = [
        (require_choice(kind, SEGMENTS, "segment"), float(amount)) for kind, amount in segments if amount
    ]
    runs = [(kind, sum(amount for _, amount in run)) for kind, run in groupby(checked_segments, key=itemgetter(0))]
    whole = max(total or 0.0, sum(amount for _, amount in runs)) or 1.0
    widths = [100 * amount / whole for _, amount in runs]
    offsets = [0.0, *accumulate(widths[:-1])]
    pieces = [(kind, offset, width) for (kind, _), offset, width in zip(runs, offsets, widths, strict=False)]
    return {"pieces": pieces, "due_at": next((offset for kind, offset, _ in pieces if kind == "over"), None)}


@component
def code(text: object, *, copy: bool = False) -> None:
    """Render inline code, optionally with a copy button."""


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
