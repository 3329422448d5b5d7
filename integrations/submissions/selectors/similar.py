"""Search for similar integrations and published providers before a submission.

Unlisted work of others appears as "Someone is working on this" without names. Each search is one query of a few index
lookups: equal keys, prefixes of a key, and its neighbors in sorted order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.db.models import Q, QuerySet, Value
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.partners.models import Partner
from integrations.programs.models import RegistryProvider
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import FINAL_STAGES, ListingStatus
from portal.core.name_matching import compute_name_key, normalize_text
from portal.core.repository_urls import get_product_name

# Strongest first
REPOSITORY = "repository"
PRODUCT = "product"
NAME = "name"
MATCH_LABELS = {
    REPOSITORY: gettext_noop("the same repository"),
    PRODUCT: gettext_noop("the same product"),
    NAME: gettext_noop("a similar name"),
}
GENERIC_TEXT = """
    and consul device driver for hashicorp integration nomad official packer plugin provider run task tasks terraform
    the vault
"""
GENERIC_WORDS = frozenset(GENERIC_TEXT.split())
HANDLE_SALT = "integrations.submissions.selectors.similar"
REGISTRY_TIERS = ("official", "partner", "community")
MAX_NEIGHBORS = 40  # rows of each kind, and rows compared on each side of a key
MIN_KEY_LENGTH = 5  # shorter prefixes match too much
MIN_SIMILARITY_RATIO = 0.85
MAX_SHOWN = 3  # per kind, for integrations and for providers
INTEGRATION_COLUMNS = ("uuid", "name", "name_key", "listing_status", "partner__name", "partner__verification_state")
PROVIDER_COLUMNS = ("full_name", "name_key", "tier", "downloads")


@dataclass(frozen=True, slots=True)
class WorkDescription:
    """Values to compare: the partner, and the name and repository of its work."""

    partner: Partner
    name: str
    repository: str = ""
    repository_id: int | None = None

    @property
    def owner(self) -> str:
        return self.repository.partition("/")[0].lower()

    @property
    def keys(self) -> list[str]:
        """Return the keys under which the product may be known, full name first."""
        full_names = [self.name, get_product_name(self.repository)]
        excluded_words = {*_split_words(self.partner.name), *GENERIC_WORDS}
        short_names = ["".join(w for w in _split_words(text) if w not in excluded_words) for text in full_names]
        return list(dict.fromkeys(key for key in (*map(compute_name_key, full_names), *short_names) if len(key) > 1))


def _split_words(text: str) -> list[str]:
    return re.split(r"[\W_]+", normalize_text(text))


@dataclass(frozen=True, slots=True)
class Overlap:
    """Similar work. `partner` and `title` are blank for unlisted work, `provider` and `url` for integrations.

    `handle` identifies the other integration in an introduction request without revealing it.
    """

    kind: str
    summary: str
    is_listed: bool
    partner: str = ""
    title: str = ""
    provider: str = ""
    url: str = ""
    handle: str = ""


def find_overlaps(work: WorkDescription) -> tuple[Overlap, ...]:
    """Return all similar work, strongest kind first, integrations before published providers."""
    # Nomad Integration Program, "Engage": HashiCorp notifies the developer of overlapping work and connects similar
    # parties, to avoid duplicate work.
    integrations = _find_integrations(work)
    providers = _find_published(work)
    overlaps: list[Overlap] = []
    for kind in MATCH_LABELS:
        overlaps += _describe_integrations(kind, [row for row in integrations if row.kind == kind], work)
        overlaps += _describe_published(kind, [row for row in providers if row.kind == kind])  # type: ignore[attr-defined]
    return tuple(overlaps)


def find_integration_overlaps(integration: Integration) -> tuple[Overlap, ...]:
    """Return work that is similar to an existing integration."""
    return find_overlaps(describe_work(integration))


def describe_work(integration: Integration) -> WorkDescription:
    return WorkDescription(integration.partner, integration.name, integration.repository, integration.repository_id)


def resolve_handle(handle: str, work: WorkDescription) -> Integration | None:
    """Return the integration of a handle that this partner received, while the two still overlap."""
    pks = [
        row.pk for row in _find_integrations(work) if constant_time_compare(handle, _compute_handle(row, work.partner))
    ]
    # Only rows that still overlap are compared, so a handle that was kept reveals nothing later.
    return Integration.objects.select_related("partner").filter(pk__in=pks).first()


def _compute_handle(row: Integration, partner: Partner) -> str:
    # With the partner in it: companies that compare their handles can't tell that they mean the same integration.
    return salted_hmac(HANDLE_SALT, f"{partner.pk}:{row.uuid}", algorithm="sha256").hexdigest()[:32]


def _find_integrations(work: WorkDescription) -> list[Integration]:
    """Return open or listed integrations of other partners, strongest kind first."""
    others = Integration.objects.exclude(partner=work.partner).filter(
        ~Q(stage__in=FINAL_STAGES) | ~Q(listing_status__in=(ListingStatus.UNLISTED, ListingStatus.DELISTED))
    )
    same_repository = Q(repository__iexact=work.repository) if work.repository else Q(pk=None)
    if work.repository_id is not None:
        same_repository |= Q(repository_id=work.repository_id)
    rows = Integration.objects.select_related("partner").only(*INTEGRATION_COLUMNS)
    return _find_similar(rows, others.filter(same_repository), others, work)


def _find_published(work: WorkDescription) -> list[RegistryProvider]:
    """Return published providers. Those in the repository's own namespace match only by repository."""
    providers = RegistryProvider.objects.all()
    same_repository = providers.filter(repository=work.repository.lower()).exclude(repository="")
    others = providers.exclude(repository__startswith=f"{work.owner}/") if work.owner else providers
    return _find_similar(providers.only(*PROVIDER_COLUMNS), same_repository, others, work)


def _find_similar(
    rows: QuerySet[Any], same_repository: QuerySet[Any], others: QuerySet[Any], work: WorkDescription
) -> list[Any]:
    """Return rows with the column `kind`: of the same repository, with an equal key, then with a similar key.

    Each has its strongest kind, and those of a kind are in the order of creation. One query.
    """
    long_keys = [key for key in work.keys if len(key) >= MIN_KEY_LENGTH]
    beginnings = {key[:length] for key in long_keys for length in range(MIN_KEY_LENGTH, len(key))}
    parts = [
        (REPOSITORY, same_repository.order_by("pk")),
        (PRODUCT, others.filter(name_key__in=work.keys).order_by("pk")),
        (NAME, others.filter(name_key__in=beginnings - {*work.keys}).order_by("pk")),
        *((NAME, others.filter(name_key__gt=key).order_by("name_key")) for key in long_keys),
        *((NAME, others.filter(name_key__lt=key).order_by("-name_key")) for key in long_keys),
    ]
    # Databases differ in whether a part of a union can have an order and a limit. A subquery always can.
    first, *rest = [
        rows.order_by().filter(pk__in=part.values("pk")[:MAX_NEIGHBORS]).annotate(kind=Value(kind))
        for kind, part in parts
    ]
    kinds = list(MATCH_LABELS)
    matches: dict[int, Any] = {}
    for row in sorted(first.union(*rest, all=True), key=lambda row: (kinds.index(row.kind), row.pk)):
        if row.kind != NAME or any(is_similar(key, row.name_key) for key in long_keys):
            matches.setdefault(row.pk, row)
    return list(matches.values())


def is_similar(first_key: str, second_key: str) -> bool:
    """Return whether one key begins with the other, or few letters differ."""
    shorter, longer = sorted((first_key, second_key), key=len)
    if len(shorter) < MIN_KEY_LENGTH:
        return False
    return (
        longer.startswith(shorter)
        or SequenceMatcher(None, first_key, second_key, autojunk=False).ratio() >= MIN_SIMILARITY_RATIO
    )


def _describe_integrations(kind: str, rows: list[Integration], work: WorkDescription) -> Iterator[Overlap]:
    """Yield listed integrations by name, and one summary for all unlisted ones."""
    match = _(MATCH_LABELS[kind])
    # Only listed work of verified companies is public. All other work is one summary without names.
    listed_rows = [row for row in rows if row.is_listed and row.partner.is_verified]
    for row in listed_rows[:MAX_SHOWN]:
        title = row.name
        partner = row.partner.name
        handle = _compute_handle(row, work.partner)
        values = {"name": title, "partner": partner, "match": match}
        summary = _("%(name)s by %(partner)s is listed (%(match)s).") % values
        yield Overlap(kind, summary, is_listed=True, partner=partner, title=title, handle=handle)
    for row in [row for row in rows if row not in listed_rows][:1]:
        summary = _("Someone is working on this (%(match)s).") % {"match": match}
        yield Overlap(kind, summary, is_listed=False, handle=_compute_handle(row, work.partner))


def _describe_published(kind: str, rows: list[RegistryProvider]) -> Iterator[Overlap]:
    """Yield the most used providers and the number of the others."""
    match = _(MATCH_LABELS[kind])
    template = _("%(name)s is already published in the registry (%(tier)s, %(match)s).")
    if kind == REPOSITORY:
        template = _("This repository is already published as %(name)s in the registry (%(tier)s).")
    ranks = {tier: rank for rank, tier in enumerate(REGISTRY_TIERS)}
    rows = sorted(rows, key=lambda row: (ranks.get(row.tier, len(ranks)), -row.downloads))
    for row in rows[:MAX_SHOWN]:
        summary = template % {"name": row.full_name, "tier": row.tier, "match": match}
        url = urljoin(settings.REGISTRY_URL, f"/providers/{row.full_name}/latest")
        yield Overlap(kind, summary, is_listed=True, provider=row.full_name, url=url)
    count = len(rows) - MAX_SHOWN
    if count > 0:
        summary = ngettext(
            "%(count)s more published provider (%(match)s).", "%(count)s more published providers (%(match)s).", count
        )
        yield Overlap(kind, summary % {"count": count, "match": match}, is_listed=True)
