"""Who else works on the same thing? Asked before something is submitted, so that no work is done twice.

Unlisted work of others is told as "someone is working on this" and nothing more: no name, no number. Each
finding costs a few look-ups in an index: equal keys, beginnings of a key, and its neighbours in sorted order.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.partners.models import Partner
from integrations.programs.models import PublishedProvider
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ENDS, Standing
from portal.core.name_matching import name_key, plain
from portal.core.repository_urls import product_of

REPOSITORY, PRODUCT, NAME = "repository", "product", "name"  # strongest first
SAME = {
    REPOSITORY: gettext_noop("the same repository"),
    PRODUCT: gettext_noop("the same product"),
    NAME: gettext_noop("a similar name"),
}
GENERIC = {
    "terraform", "nomad", "vault", "consul", "packer", "provider", "plugin", "driver", "device", "run", "task",
    "tasks", "for", "the", "and", "integration", "official", "hashicorp",
}  # fmt: skip
TIERS = ("official", "partner", "community")
NEIGHBOURS = 40  # rows looked at on each side of a key
SHORTEST = 5  # a shorter beginning says too little
ALIKE = 0.85
SHOWN = 3  # of one kind, from each of the two worlds


@dataclass(frozen=True, slots=True)
class Work:
    """What is compared: the company, and what it works on."""

    partner: Partner
    name: str
    repository: str = ""
    repository_id: int | None = None

    @property
    def owner(self) -> str:
        return self.repository.partition("/")[0].lower()

    @property
    def keys(self) -> list[str]:
        """The keys under which the product may be known, the full name first."""
        spoken = [self.name, product_of(self.repository)]
        own = set(re.split(r"[\W_]+", plain(self.partner.name))) | GENERIC
        short = ["".join(w for w in re.split(r"[\W_]+", plain(text)) if w not in own) for text in spoken]
        return list(dict.fromkeys(key for key in (*map(name_key, spoken), *short) if len(key) > 1))


@dataclass(frozen=True, slots=True)
class Overlap:
    """One finding. `partner` and `title` are blank for unlisted work, `provider` and `url` for integrations.

    `handle` stands for the other integration when asking for an introduction; it tells nothing by itself.
    """

    kind: str
    words: str
    listed: bool
    partner: str = ""
    title: str = ""
    provider: str = ""
    url: str = ""
    handle: str = ""


def overlaps(work: Work) -> tuple[Overlap, ...]:
    """Everything alike, strongest kind first, integrations before published providers."""
    theirs, published = _best(_integrations(work)), _best(_published(work))
    found: list[Overlap] = []
    for kind in SAME:
        found += _of_integrations(kind, theirs[kind], work)
        found += _of_published(kind, published[kind])
    return tuple(found)


def overlaps_of(integration: Integration) -> tuple[Overlap, ...]:
    """The overlaps of an integration that exists already."""
    return overlaps(work_of(integration))


def work_of(integration: Integration) -> Work:
    return Work(integration.partner, integration.name, integration.repository, integration.repository_id)


def behind(handle: str, work: Work) -> Integration | None:
    """The other integration for which this handle was shown to this company, while it still overlaps."""
    rows = (row for _, row in _integrations(work))
    return next((row for row in rows if constant_time_compare(handle, _handle(row, work.partner))), None)


def _handle(row: Integration, asking: Partner) -> str:
    return salted_hmac(
        "integrations.submissions.selectors.similar", f"{asking.pk}:{row.uuid}", algorithm="sha256"
    ).hexdigest()[:32]


def _best(found: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    """Rows by kind, each under its strongest kind only."""
    best: dict[str, list[Any]] = {kind: [] for kind in SAME}
    seen: set[int] = set()
    for kind, row in found:
        if row.pk not in seen:
            seen.add(row.pk)
            best[kind].append(row)
    return best


def _integrations(work: Work) -> Iterator[tuple[str, Integration]]:
    """Other companies' integrations that are alive or listed, strongest kind first."""
    others: QuerySet[Integration] = (
        Integration.objects.exclude(partner=work.partner)
        .filter(~Q(stage__in=ENDS) | ~Q(standing__in=(Standing.NONE, Standing.REMOVED)))
        .select_related("partner")
        .order_by("created_at")
    )
    same = Q(repository__iexact=work.repository) if work.repository else Q(pk=None)
    if work.repository_id is not None:
        same |= Q(repository_id=work.repository_id)
    yield from ((REPOSITORY, row) for row in others.filter(same))
    yield from ((PRODUCT, row) for row in others.filter(name_key__in=work.keys))
    yield from ((NAME, row) for row in _similar(others, work.keys))


def _published(work: Work) -> Iterator[tuple[str, PublishedProvider]]:
    """Published providers; those of the repository's own namespace are no others."""
    every = PublishedProvider.objects.all()
    if work.repository:
        yield from ((REPOSITORY, row) for row in every.filter(repository=work.repository.lower()))
    others = every.exclude(repository__startswith=f"{work.owner}/") if work.owner else every
    yield from ((PRODUCT, row) for row in others.filter(name_key__in=work.keys))
    yield from ((NAME, row) for row in _similar(others, work.keys))


def _similar(rows: QuerySet[Any], keys: list[str]) -> Iterator[Any]:
    """Rows whose key begins alike or differs by little."""
    for key in keys:
        if len(key) < SHORTEST:
            continue
        beginnings = [key[:length] for length in range(SHORTEST, len(key))]
        yield from rows.filter(name_key__in=beginnings)
        near = [
            *rows.filter(name_key__gt=key).order_by("name_key")[:NEIGHBOURS],
            *rows.filter(name_key__lt=key).order_by("-name_key")[:NEIGHBOURS],
        ]
        yield from (row for row in near if alike(key, row.name_key))


def alike(one: str, other: str) -> bool:
    """Whether two keys are similar: one begins with the other, or few letters differ."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < SHORTEST:
        return False
    return longer.startswith(shorter) or SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _of_integrations(kind: str, rows: list[Integration], work: Work) -> Iterator[Overlap]:
    """The listed ones by name; of all unlisted ones together a single word, that of the longest at work."""
    said = _("%(company)s has %(name)s listed: %(what)s.")
    for row in [row for row in rows if row.is_listed][:SHOWN]:
        yield Overlap(
            kind, said % {"company": row.partner.name, "name": row.name, "what": _(SAME[kind])}, listed=True,
            partner=row.partner.name, title=row.name, handle=_handle(row, work.partner),
        )  # fmt: skip
    for row in [row for row in rows if not row.is_listed][:1]:
        words = _("Someone is working on this: %(what)s.") % {"what": _(SAME[kind])}
        yield Overlap(kind, words, listed=False, handle=_handle(row, work.partner))


def _of_published(kind: str, rows: list[PublishedProvider]) -> Iterator[Overlap]:
    """The most used of them, and how many there are beside."""
    ordered = sorted(rows, key=lambda row: (TIERS.index(row.tier) if row.tier in TIERS else 9, -row.downloads))
    for row in ordered[:SHOWN]:
        same = _("This repository is published already: %(name)s in the registry, %(tier)s.")
        like = _("Published already: %(name)s in the registry, %(tier)s, %(what)s.")
        words = (same if kind == REPOSITORY else like) % {
            "name": row.full_name, "tier": row.tier, "what": _(SAME[kind]),
        }  # fmt: skip
        yield Overlap(kind, words, listed=True, provider=row.full_name, url=_page(row))
    more = len(ordered) - SHOWN
    if more > 0:
        yield Overlap(
            kind,
            ngettext(
                "And %(more)s more published provider: %(what)s.",
                "And %(more)s more published providers: %(what)s.",
                more,
            )
            % {"more": more, "what": _(SAME[kind])},
            True,
        )


def _page(row: PublishedProvider) -> str:
    host = urlsplit(settings.REGISTRY_URL)
    return f"{host.scheme}://{host.netloc}/providers/{row.full_name}/latest"
