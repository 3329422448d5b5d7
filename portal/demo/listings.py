"""Listings of the demo world: observed versions, owners, and keys, a reply, and compliance decisions."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from integrations.programs.requirements import FulfillingParty, RequirementKind
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services import waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from portal.directory.models import Listing
from portal.directory.partner_replies import save_reply
from portal.directory.services import refresh_metrics
from verification.checks.models import CheckResult
from verification.checks.services import observations
from verification.sources.published_versions import RegistryListing

# integration: versions from newest to oldest, platforms of the newest version
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
    "Globex Firewall": "An outage of our test cloud from the 3rd to the 5th of the month caused the late resolution.\n"
    "Two people have been on call since then."
}


def populate_listings(now: datetime) -> None:
    """Record check results, observations, and a reply, then refresh the directory."""
    for integration in Integration.objects.filter_released().select_related("partner"):
        _repeat_checks(integration, now - timedelta(hours=5))
        if integration.name in RELEASES:
            _record_release(integration, *RELEASES[integration.name], now)
        if integration.name in PARTNER_REPLIES:
            member = integration.partner.memberships.get(role="owner").user
            save_reply(integration, PARTNER_REPLIES[integration.name], actor=member, now=now - timedelta(days=2))
    refresh_metrics(Listing.objects.all(), now)


def _repeat_checks(integration: Integration, now: datetime) -> None:
    """Confirm the passed checks, as the nightly run does."""
    states = integration.fulfillments.filter(status=Status.PASS)
    for state in states if integration.is_open else ():
        requirement = state.requirement
        if requirement is not None and requirement.responsible_party == FulfillingParty.MACHINE:
            result: JsonObject = {"summary": state.summary, "detail": state.detail, "retry_at": None}
            answers.record_check_outcome(integration, requirement.id, outcome=Status.PASS, now=now, **result)


def _record_release(
    integration: Integration, versions: tuple[str, ...], platforms: tuple[str, ...], now: datetime
) -> None:
    owner, confirmed_at = integration.repository.partition("/")[0], now - timedelta(hours=5)
    summary = f"{owner} owns the repository, as at submission."
    _create_passed_result(integration, OWNER_CHECK, summary, integration.created_at, confirmed_at)
    if "-provider-" not in integration.repository:
        observations.store_observation(integration, "release.newest", {"release.newest": versions[0]}, confirmed_at)
        return
    name = f"{owner}/{integration.repository.partition('-provider-')[2]}"
    source, builds = f"https://github.com/{integration.repository}", dict.fromkeys(versions, platforms)
    builds[versions[-1]] = platforms if len(versions) == 1 else platforms[:2]  # the first release has fewer platforms
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
        integration,
        KEY_CHECK,
        f"The key {fingerprint[-16:]} has signed releases since {key['since']}.",
        released_at,
        confirmed_at,
    )


def _create_passed_result(
    integration: Integration, key: str, summary: str, at: datetime, confirmed_at: datetime
) -> None:
    CheckResult.objects.create(
        integration=integration, key=key, version=1, outcome="pass", summary=summary, at=at, confirmed_at=confirmed_at
    )


def _perform_transition(integration: Integration, step: str, by: object, now: datetime, note: str) -> None:
    MonitoredRepository.objects.filter(integration=integration).update(data_up_to=now)
    perform_transition(integration, step, actor=by, note=note, now=now)


def _list_other_reviewers(reviewer: User) -> QuerySet[User]:
    """Return the other reviewers. The reviewer who issues a notice can't decide on the suspension."""
    return type(reviewer).objects.filter(is_reviewer=True).exclude(pk=reviewer.pk).order_by("pk")


def suspend(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Issue a notice, then suspend the integration a month later."""
    _perform_transition(
        integration,
        "issue_notice",
        reviewer,
        now - timedelta(days=40),
        "The partner has not responded to issues since spring.",
    )
    _perform_transition(
        integration,
        "suspend",
        _list_other_reviewers(reviewer)[0],
        now - timedelta(days=6),
        "The partner did not act in the notice period.",
    )


def delist(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Issue a notice, suspend the integration, and delist it two months later."""
    _perform_transition(
        integration,
        "issue_notice",
        reviewer,
        now - timedelta(days=110),
        "The plugin does not start with this year's release.",
    )
    _perform_transition(
        integration,
        "suspend",
        _list_other_reviewers(reviewer)[0],
        now - timedelta(days=76),
        "The partner did not act in the notice period.",
    )
    _perform_transition(
        integration, "delist", reviewer, now - timedelta(days=11), "The integration was suspended for two months."
    )


def downgrade_to_community(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    _perform_transition(
        integration, "downgrade_to_community", owner, now, "Our team can no longer support the integration."
    )


def waive_check(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Fail a check and waive it with a reason and an expiration date."""
    checks = [r for r in integration.edition.requirements() if r.kind == RequirementKind.CHECK and not r.optional]
    requirement = next((r for r in checks if any(key.startswith("docs.") for key in r.checks)), checks[-1])
    result: JsonObject = {"summary": "Two files have unexpected names.", "detail": [], "retry_at": None}
    answers.record_check_outcome(integration, requirement.id, outcome=Status.FAIL, now=now, **result)
    reason = "The next major version renames the files. A rename now would break pinned versions."
    waivers.waive_requirement(
        integration, requirement.id, reason=reason, expires_at=now + timedelta(days=120), actor=reviewer, now=now
    )


COMPLIANCE_SCENARIOS: dict[str, Callable[[Integration, User, User, datetime], None]] = {
    "suspended": suspend,
    "delisted": delist,
    "downgraded": downgrade_to_community,
    "check waived": waive_check,
}
