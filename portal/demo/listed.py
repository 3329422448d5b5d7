"""What is known of the demo's listings? Versions, owners and keys that were seen, a reply, and who was removed."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from integrations.programs.schema import FulfillingParty, RequirementKind
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services import waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.directory.models import Listing
from portal.directory.partner_replies import save_reply
from portal.directory.services import refresh_metrics
from verification.checks.models import CheckResult
from verification.checks.services import observations
from verification.sources.published_versions import RegistryListing

# name: (versions, newest first; platforms of the newest)
ALL_PLATFORMS = ("linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64")
UNIX_PLATFORMS = ("linux_amd64", "linux_arm64", "darwin_arm64")
LINUX_PLATFORMS = ("linux_amd64", "linux_arm64")
RELEASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Globex Firewall": (("2.4.1", "2.4.0", "2.3.7", "2.0.0"), (*ALL_PLATFORMS, "freebsd_amd64")),
    "Nordlicht": (("1.18.0", "1.17.2", "1.17.1"), ALL_PLATFORMS),
    "Tanuki dashboards": (("0.9.3", "0.9.2"), UNIX_PLATFORMS),
    "Kestrel warehouse": (("3.0.2", "3.0.1", "2.11.0"), ALL_PLATFORMS),
    "Papaya": (("1.2.0",), UNIX_PLATFORMS),
    "Initech Proxy": (("1.6.4", "1.6.3"), LINUX_PLATFORMS),
    "Booster driver": (("0.7.0", "0.6.1"), LINUX_PLATFORMS),
    "Tanuki images": (("1.1.0", "1.0.2"), UNIX_PLATFORMS),
}
OWNER_CHECK, LISTING_CHECK, KEY_CHECK = "repository.owner", "registry.listed", "keys.rotation"
PARTNER_REPLIES = {
    "Globex Firewall": "The late one fell into an outage of our own test cloud, from 3 to 5 of the month.\n"
    "Since then two people are on call."
}


def populate_listings(now: datetime) -> None:
    """What the checks would have seen, what a company says to its record, and every row as of now."""
    for integration in Integration.objects.listed_once().select_related("partner"):
        _repeat_checks(integration, now - timedelta(hours=5))
        if integration.name in RELEASES:
            _record_release(integration, *RELEASES[integration.name], now)
        if integration.name in PARTNER_REPLIES:
            member = integration.partner.memberships.get(role="owner").user
            save_reply(integration, PARTNER_REPLIES[integration.name], actor=member, now=now - timedelta(days=2))
    refresh_metrics(Listing.objects.all(), now)


def _repeat_checks(integration: Integration, now: datetime) -> None:
    """What every night does: the machine looks, and finds what it found before."""
    states = integration.fulfillments.filter(status=Status.PASS)
    for state in states if integration.is_open else ():
        requirement = state.requirement
        if requirement is not None and requirement.who == FulfillingParty.MACHINE:
            result: dict[str, Any] = {"summary": state.summary, "detail": state.detail, "retry_at": None}
            answers.record_check_outcome(integration, requirement.id, outcome=Status.PASS, now=now, **result)


def _record_release(
    integration: Integration, versions: tuple[str, ...], platforms: tuple[str, ...], now: datetime
) -> None:
    owner, confirmed_at = integration.repository.partition("/")[0], now - timedelta(hours=5)
    summary = f"{owner} owns it, as when it was entered."
    _create_passed_result(integration, OWNER_CHECK, summary, integration.created_at, confirmed_at)
    if "-provider-" not in integration.repository:
        observations.store_observation(integration, "release.newest", {"release.newest": versions[0]}, confirmed_at)
        return
    name = f"{owner}/{integration.repository.partition('-provider-')[2]}"
    source, builds = f"https://github.com/{integration.repository}", dict.fromkeys(versions, platforms)
    builds[versions[-1]] = platforms if len(versions) == 1 else platforms[:2]  # the first release was for fewer
    registry_record = RegistryListing(
        name, source, "partner", versions, versions[0], builds[versions[0]], builds=builds
    )
    released_at = integration.released_at or integration.created_at
    observations.store_observation(integration, LISTING_CHECK, {"registry": registry_record.as_dict()}, released_at)
    observations.store_observation(integration, LISTING_CHECK, {"registry": registry_record.as_dict()}, confirmed_at)
    listing_summary = f"The registry lists {name} {versions[0]}."
    _create_passed_result(integration, LISTING_CHECK, listing_summary, released_at, confirmed_at)
    fingerprint = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest().upper()
    key = {"fingerprint": fingerprint, "since": f"{released_at:%Y-%m-%d}", "version": versions[-1]}
    observations.store_observation(integration, KEY_CHECK, {"keys.signers": [key]}, confirmed_at)
    _create_passed_result(
        integration, KEY_CHECK, f"The key {fingerprint[-16:]} signs since {key['since']}.", released_at, confirmed_at
    )


def _create_passed_result(
    integration: Integration, key: str, summary: str, at: datetime, confirmed_at: datetime
) -> None:
    CheckResult.objects.create(
        integration=integration, key=key, version=1, outcome="pass", summary=summary, at=at, confirmed_at=confirmed_at
    )


def _perform_transition(integration: Integration, step: str, by: Any, now: datetime, note: str) -> None:
    MonitoredRepository.objects.filter(integration=integration).update(data_up_to=now)
    perform_transition(integration, step, actor=by, note=note, now=now)


def _list_other_reviewers(reviewer: Any) -> QuerySet[Any]:
    """Another reviewer: what one began, another one ends."""
    return type(reviewer).objects.filter(is_reviewer=True).exclude(pk=reviewer.pk).order_by("pk")


def suspend(integration: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    """A notice, a month without an answer, and another reviewer's decision."""
    _perform_transition(
        integration, "issue_notice", reviewer, now - timedelta(days=40), "Nobody has answered an issue since spring."
    )
    _perform_transition(
        integration,
        "suspend",
        _list_other_reviewers(reviewer)[0],
        now - timedelta(days=6),
        "Nothing was done in the period.",
    )


def delist(integration: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    """The same, and two months later the end of it."""
    _perform_transition(
        integration, "issue_notice", reviewer, now - timedelta(days=110), "It does not start with this year’s release."
    )
    _perform_transition(
        integration,
        "suspend",
        _list_other_reviewers(reviewer)[0],
        now - timedelta(days=76),
        "Nothing was done in the period.",
    )
    _perform_transition(integration, "delist", reviewer, now - timedelta(days=11), "It was suspended for two months.")


def downgrade_to_community(integration: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    _perform_transition(integration, "downgrade_to_community", owner, now, "We no longer have the people for it.")


def waive_check(integration: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    """A reviewer lets one check wait that it passes no more, for a reason and until a day."""
    checks = [r for r in integration.edition.requirements() if r.kind == RequirementKind.CHECK and not r.optional]
    requirement = next((r for r in checks if any(key.startswith("docs.") for key in r.checks)), checks[-1])
    result: dict[str, Any] = {"summary": "Two files are named otherwise.", "detail": [], "retry_at": None}
    answers.record_check_outcome(integration, requirement.id, outcome=Status.FAIL, now=now, **result)
    reason = "The next major version renames them; doing it now would break what users have pinned."
    waivers.waive_requirement(
        integration, requirement.id, reason=reason, expires_at=now + timedelta(days=120), actor=reviewer, now=now
    )


SCENARIOS: dict[str, Callable[[Integration, Any, Any, datetime], None]] = {
    "suspended": suspend,
    "delisted": delist,
    "stepped down": downgrade_to_community,
    "excused": waive_check,
}
