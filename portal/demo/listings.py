"""Listings of the demo world: observed versions, owners, and keys, and a reply."""

import hashlib
from datetime import datetime, timedelta

from integrations.programs.requirements import FulfillingParty
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements
from integrations.submissions.workflow.states import Status
from portal.core.value_types import JsonObject
from portal.demo.content import PAST, WORLD, DemoReleases
from portal.directory.models import Listing
from portal.directory.services import refresh_metrics
from verification.checks.runner import store_result
from verification.checks.services import observations
from verification.outcomes import Outcome, Result
from verification.sources.published_versions import RegistryListing

OWNER_CHECK, LISTING_CHECK, KEY_CHECK = "repository.owner", "registry.listed", "keys.rotation"


def populate_listings(now: datetime) -> None:
    """Record check results and observations, then refresh the directory."""
    for integration in Integration.objects.filter_released().select_related("partner"):
        _repeat_checks(integration, now - timedelta(hours=5))
        releases = get_releases(integration)
        if releases.versions:
            _record_release(integration, releases, now - timedelta(hours=5))
    refresh_metrics(Listing.objects.all(), now)


def get_releases(integration: Integration) -> DemoReleases:
    """Return the releases of an integration. Past providers have all the same ones."""
    entry = next((entry for entry in WORLD.integrations if entry.name == integration.name), None)
    if entry is not None:
        return DemoReleases(entry.versions, entry.platforms)
    return PAST.releases if integration.program.repository_pattern else DemoReleases()


def _repeat_checks(integration: Integration, now: datetime) -> None:
    """Confirm the passed checks, as the nightly run does."""
    states = integration.fulfillments.filter(status=Status.PASS)
    for state in states if integration.is_open else ():
        requirement = state.requirement
        if requirement is not None and requirement.responsible_party == FulfillingParty.MACHINE:
            result: JsonObject = {"summary": state.summary, "detail": state.detail, "retry_at": None}
            requirements.record_check_outcome(integration, requirement.id, outcome=Status.PASS, now=now, **result)


def _record_release(integration: Integration, releases: DemoReleases, now: datetime) -> None:
    """Record the results of checks, and what they observed: of a provider its registry data and its signing key."""
    owner, newest = integration.repository.partition("/")[0], releases.versions[0]
    released_at = integration.released_at or integration.created_at
    results = {OWNER_CHECK: Result(Outcome.PASS, f"{owner} owns the repository, as at submission.")}
    if "-provider-" in integration.repository:
        name = f"{owner}/{integration.repository.partition('-provider-')[2]}"
        fingerprint = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest().upper()
        key = {"fingerprint": fingerprint, "since": f"{released_at:%Y-%m-%d}", "version": releases.versions[-1]}
        registry = {"registry": _build_registry_listing(name, integration.repository, releases).as_dict()}
        listing_summary = f"The registry lists {name} {newest}."
        key_summary = f"The key {fingerprint[-16:]} has signed releases since {key['since']}."
        results[LISTING_CHECK] = Result(Outcome.PASS, listing_summary, observations=registry)
        results[KEY_CHECK] = Result(Outcome.PASS, key_summary, observations={"keys.signers": [key]})
    else:
        observations.store_observation(integration, "release.newest", {"release.newest": newest}, now)
    for check, result in results.items():
        store_result(integration, check, result, integration.created_at if check == OWNER_CHECK else released_at)
        store_result(integration, check, result, now)


def _build_registry_listing(name: str, repository: str, releases: DemoReleases) -> RegistryListing:
    builds = dict.fromkeys(releases.versions, releases.platforms)
    if len(releases.versions) > 1:
        builds[releases.versions[-1]] = releases.platforms[:2]  # the first release has fewer platforms
    source = f"https://github.com/{repository}"
    versions, platforms = releases.versions, releases.platforms
    return RegistryListing(name, source, "partner", versions, versions[0], platforms, builds=builds)
