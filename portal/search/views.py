"""Search page, and the results of the command palette while the user types."""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_noop

from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import clean_search_query
from portal.dashboard.context_processors import Frame
from portal.search.models import Kind
from portal.search.queries import Hit, search
from portal.search.words import parse_query, split_words
from portal.ui.components.lists import NavigationLink

PAGE_SIZE = 50
MAX_RESULTS = 500
MAX_PALETTE_RESULTS = 25
MAX_PALETTE_RESULTS_PER_KIND = 5
# Heading and icon by kind
GROUPS = {
    Kind.INTEGRATION: (gettext_noop("Integrations"), "plug"),
    Kind.PARTNER: (gettext_noop("Partners"), "building-2"),
    Kind.REPOSITORY: (gettext_noop("Repositories"), "git-branch"),
    Kind.FINDING: (gettext_noop("Findings"), "message-square"),
    Kind.ISSUE: (gettext_noop("Issues"), "circle-dot"),
    Kind.PERSON: (gettext_noop("People"), "user"),
    Kind.PROGRAM: (gettext_noop("Programs"), "award"),
    Kind.DOCUMENTATION: (gettext_noop("Help"), "circle-question-mark"),
    Kind.PROVIDER: (gettext_noop("Published providers"), "package"),
}


@dataclass(frozen=True, slots=True)
class TypeTab:
    """Tab that shows the results of one type, or all results if `value` is None."""

    label: str
    value: str | None
    count: int
    is_current: bool


def show_results(request: AuthenticatedRequest) -> HttpResponse:
    """Show everything that the user can find with a query, or the results of one type.

    A type without results shows all results, because its tab is missing then.
    """
    query = clean_search_query(request.GET.get("q", ""))
    hits = search(request.user, query, MAX_RESULTS)
    counts = Counter(hit.kind for hit in hits)
    selected = next((kind for kind in counts if kind.name.lower() == request.GET.get("type")), None)
    shown_hits = [hit for hit in hits if selected in (None, hit.kind)]
    context = {
        "q": query,
        "page": Paginator(shown_hits, PAGE_SIZE).get_page(request.GET.get("page")),
        "tabs": build_type_tabs(counts, selected) if len(counts) > 1 else [],
        "limit": MAX_RESULTS if len(hits) == MAX_RESULTS else 0,
    }
    return render(request, "search/results.html", context)


def build_type_tabs(counts: Counter[Kind], selected: Kind | None) -> list[TypeTab]:
    """Return a tab for all results, and one for each type with results."""
    types = [TypeTab(_(GROUPS[kind][0]), kind.name.lower(), counts[kind], kind == selected) for kind in sorted(counts)]
    return [TypeTab(_("All"), None, counts.total(), selected is None), *types]


def show_palette(request: AuthenticatedRequest) -> HttpResponse:
    """Show the best matches of each kind, and the pages whose name matches."""
    query = clean_search_query(request.GET.get("q", ""))
    limits = {"limit": MAX_PALETTE_RESULTS, "limit_per_kind": MAX_PALETTE_RESULTS_PER_KIND}
    groups = group_hits(search(request.user, query, **limits))
    commands = list_commands(Frame(request), parse_query(query))
    count = len(commands) + sum(len(hits) for _heading, _icon, hits in groups)
    return render(request, "search/palette_results.html", {"groups": groups, "commands": commands, "count": count})


def group_hits(hits: list[Hit]) -> list[tuple[str, str, list[Hit]]]:
    """Return the heading, the icon, and the hits of each kind. The kind with the best hit comes first."""
    kinds = list(dict.fromkeys(hit.kind for hit in hits))
    by_kind = groupby(sorted(hits, key=lambda hit: kinds.index(hit.kind)), key=lambda hit: hit.kind)
    return [(_(GROUPS[kind][0]), GROUPS[kind][1], list(group)) for kind, group in by_kind]


def list_commands(frame: Frame, words: list[str]) -> list[NavigationLink]:
    """Return the links of the frame that the user can follow and whose label contains words with these beginnings."""
    new_integration = NavigationLink(_("New integration"), "plus", reverse("discovery:address"))
    links = {link.href: link for link in (new_integration, *frame.rail, *frame["menu"])}
    labels = {link.href: split_words(link.label) for link in links.values()}
    return [
        link
        for href, link in links.items()
        if all(any(label.startswith(word) for label in labels[href]) for word in words)
    ]
