"""Checks of the provider's listing in the registry: address, pages, warnings, and tier."""

from functools import partial

from portal.core.repository_urls import find_repository
from verification.checks.rules.docs import MAX_PAGES
from verification.checks.rules.shared_reads import add_state, require_repository, with_value
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.published_versions import RegistryListing, load_listing

# Only the program and the partner see a notice, so to others the integration is still listed.
LISTED_STATUSES = ("listed", "on_notice")
# The API's value for the premier tier isn't documented.
PARTNER_TIERS = ("partner", "partner-premier", "premier")
# "Verified" was the name of the partner tier until 2022.
REGISTRY_TIERS_BY_TIER = {
    "verified": ("partner",),
    "partner": ("partner",),
    "partner-premier": PARTNER_TIERS,
    "official": ("official",),
    "community": ("community",),
}


def read_listing(subject: Subject, sources: Sources) -> RegistryListing:
    """Return what the registry has published, read once per run. Raises SourceError."""
    namespace = subject.namespace
    name = subject.provider
    listing = load_listing(subject.known.get("registry"))
    # After a change of the repository, the stored platforms and pages are those of another provider.
    previous = listing if listing is not None and _has_name(listing, f"{namespace}/{name}") else None
    read = partial(sources.registry.read_listing, namespace, name, previous)
    return sources.read(f"registry:{namespace}/{name}", read)


def build_listing_evidence(subject: Subject, sources: Sources, listing: RegistryListing) -> Evidence:
    page = sources.registry.build_page_url(subject.namespace, subject.provider)
    return Evidence("Registry", f"{listing.full_name} {listing.newest}".strip(), page)


def build_listing_state(listing: RegistryListing) -> tuple[tuple[str, str], ...]:
    return (("version", listing.newest),)


with_listing = with_value(require_repository(read_listing), add_state(build_listing_state))


@register_check("registry.listed", require_repository)
def check_registry_listing(subject: Subject, sources: Sources) -> Result:
    full_name = f"{subject.namespace}/{subject.provider}"
    page = sources.registry.build_page_url(subject.namespace, subject.provider)
    try:
        listing = read_listing(subject, sources)
    except SourceNotFoundError:
        summary = f"The registry doesn't list {full_name}."
        missing_item = f"{full_name} in the registry"
        address_evidence = (Evidence("Registry address", full_name, page),)
        return Result(Outcome.FAIL, summary, address_evidence, missing_item=missing_item)
    outcome, summary = _check_source(subject, listing)
    evidence = (Evidence("Provider", listing.full_name, page), Evidence("Source", listing.source, listing.source))
    # The listing of another repository isn't stored, because the next run would reuse parts of it.
    is_same_provider = _has_name(listing, full_name) and (outcome != Outcome.FAIL or not listing.newest)
    observations = {"registry": listing.as_dict()} if is_same_provider else {}
    return Result(outcome, summary, evidence, build_listing_state(listing), observations=observations)


def _has_name(listing: RegistryListing, full_name: str) -> bool:
    """Return whether the registry means the same provider. The registry ignores case and shows the owner's
    capitalization.
    """
    return listing.full_name.lower() == full_name.lower()


def _check_source(subject: Subject, listing: RegistryListing) -> tuple[Outcome, str]:
    """Return the result for the listing's name and source, compared by GitHub's repository number if it is known, else
    by URL.
    """
    full_name = f"{subject.namespace}/{subject.provider}"
    if not _has_name(listing, full_name):
        return Outcome.FAIL, f"The registry returned {listing.full_name or 'no name'} instead of {full_name}."
    # The number outlives renames and transfers, but only the registry's internal API states it.
    ids = (listing.repository_id, subject.repository_id)
    is_other_repository = None not in ids and ids[0] != ids[1]
    is_same_address = find_repository(listing.source).lower() == subject.repository.lower()
    if is_other_repository or not (is_same_address or None not in ids):
        return Outcome.FAIL, f"The registry lists {listing.full_name} from a different repository."
    if not is_same_address:
        return Outcome.WARN, f"The registry lists {listing.full_name} with an outdated repository URL."
    if not listing.newest:
        return Outcome.FAIL, f"The registry lists {listing.full_name}, but no version."
    return Outcome.PASS, f"The registry lists {listing.full_name} {listing.newest}."


@register_check("registry.state", with_listing)
def check_registry_state(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    evidence: tuple[Evidence, ...] = (build_listing_evidence(subject, sources, listing),)
    if listing.moved_to:
        evidence += (Evidence("Moved to", listing.moved_to),)
        return Result(Outcome.FAIL, f"The registry redirects users to {listing.moved_to}.", evidence)
    if listing.unlisted:
        return Result(Outcome.FAIL, "The registry hides the provider in its lists.", evidence)
    if listing.warning:
        evidence += (Evidence("Warning", listing.warning[:500]),)
        return Result(Outcome.WARN, "The registry shows a warning for the provider.", evidence)
    # Only the internal API states these, so without it nothing is known.
    if None in (listing.warning, listing.unlisted, listing.moved_to):
        return Result(Outcome.NOT_RUN, "The registry didn't say whether it warns about the provider.", evidence)
    return Result(Outcome.PASS, "The registry shows the provider without a warning.", evidence)


@register_check("registry.tier", with_listing)
def check_registry_tier(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    evidence = (
        build_listing_evidence(subject, sources, listing),
        Evidence("Registry tier", listing.tier or "none"),
        Evidence("Program tier", subject.tier or "none"),
    )
    if not listing.tier:
        return Result(Outcome.NOT_RUN, "The registry doesn't show a tier.", evidence)
    if subject.listing_status not in LISTED_STATUSES:
        if listing.tier in PARTNER_TIERS:
            summary = f"The registry shows the {listing.tier} tier, but the program doesn't."
            return Result(Outcome.WARN, summary, evidence)
        summary = f"The registry shows the {listing.tier} tier, but the program hasn't listed the integration."
        return Result(Outcome.PASS, summary, evidence)
    expected_tiers = REGISTRY_TIERS_BY_TIER.get(subject.tier, (subject.tier,))
    summary = f"The registry shows the {listing.tier} tier. The program has the {subject.tier} tier."
    return Result(Outcome.PASS if listing.tier in expected_tiers else Outcome.FAIL, summary, evidence)


@register_check("registry.docs", with_listing)
def check_registry_docs(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    if listing.docs is None:
        return Result(Outcome.NOT_RUN, "The registry has no version with pages to check.")
    page_counts = listing.docs
    total = sum(listing.docs.values())
    evidence = (
        build_listing_evidence(subject, sources, listing),
        *(Evidence(category, str(n)) for category, n in sorted(page_counts.items())),
    )
    things = sum(number for category, number in page_counts.items() if category not in ("overview", "guides", "other"))
    if not page_counts.get("overview"):
        return Result(Outcome.FAIL, "The registry shows no overview of the provider.", evidence)
    if not things:
        return Result(Outcome.FAIL, "The registry shows no page for a resource or data source.", evidence)
    # The registry stops at its limit, so even exactly as many pages can be incomplete.
    if total >= MAX_PAGES:
        summary = f"The provider has {total} pages. The registry shows at most {MAX_PAGES} per version."
        return Result(Outcome.WARN, summary, evidence)
    return Result(Outcome.PASS, f"The registry shows an overview and {format_count(things, 'further page')}.", evidence)
