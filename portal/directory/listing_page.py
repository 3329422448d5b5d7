"""Data of a listing page: publisher proofs, versions, links, checks, and support record. Read-only."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _, ngettext

from integrations.programs.requirements import FulfillingParty, Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors.context import is_applicable
from integrations.submissions.workflow.states import FULFILLED_STATUSES, Status
from portal.audit.models import AuditEvent
from portal.core.value_types import TemplateContext
from portal.directory.install_snippets import build_snippet
from portal.directory.listing_content import iterate_public_answers
from portal.directory.models import Listing
from portal.directory.observed_versions import NO_OBSERVED_VERSIONS, ObservedVersions, get_observed_versions
from portal.directory.search import format_platforms, serialize_support_metrics
from verification.checks.models import CheckResult, Observation
from verification.checks.services.facts import get_public_repository
from verification.outcomes import Outcome

REPLY_EVENT_TYPE = "integration.support_replied"
FULL_NAME_PATTERN = re.compile(r"[A-Za-z0-9][\w-]*/[A-Za-z0-9][\w-]*", re.ASCII)  # a namespace and a name
SIGNERS_KEY = "keys.signers"
OWNER_CHECK_KEY = "repository.owner"
REGISTRY_CHECK_KEY = "registry.listed"
ROTATION_CHECK_KEY = "keys.rotation"
PASSING_OUTCOMES = {Outcome.PASS, Outcome.WARN}


@dataclass(frozen=True, slots=True)
class PublisherCheck:
    """Latest conclusive result of a publisher check.

    Attributes:
        outcome: Outcome of the result, never an error.
        since: Since when the check has not failed.
        confirmed_at: When the check last confirmed the result.
    """

    outcome: str
    since: datetime
    confirmed_at: datetime


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """Current check results: title, status, and time of each, and the waivers.

    Waived requirements count neither as passing nor as failing. Warnings count on their own, and so do errors, because
    an outage is no failure of the partner.
    """

    lines: list[tuple[str, str, datetime | None]]
    waivers: list[RequirementFulfillment]

    @property
    def at(self) -> datetime | None:
        return max((at for _title, _status, at in self.lines if at), default=None)

    @property
    def summary(self) -> str:
        statuses = [status for _title, status, _at in self.lines if status != Status.WAIVED]
        warning_count = statuses.count(Status.WARN)
        passing_count = sum(status in FULFILLED_STATUSES for status in statuses) - warning_count
        error_count = statuses.count(Status.ERROR)
        failing_count = len(statuses) - passing_count - warning_count - error_count
        parts = [_("%(count)s passed") % {"count": passing_count}]
        if warning_count:
            parts.append(ngettext("%(count)s warning", "%(count)s warnings", warning_count) % {"count": warning_count})
        if self.waivers:
            parts.append(_("%(count)s waived") % {"count": len(self.waivers)})
        if failing_count:
            parts.append(_("%(count)s not passed") % {"count": failing_count})
        if error_count:
            parts.append(_("%(count)s couldn't be completed") % {"count": error_count})
        return ", ".join(parts)


def build_listing_details(row: Integration, listing: Listing, now: datetime) -> TemplateContext:
    """Return the data of a listing page with six queries.

    If the registry check fails, the page shows no registry data, because the data could belong to someone else.
    """
    checks_by_key = get_publisher_checks(row)
    registry_check = checks_by_key.get(REGISTRY_CHECK_KEY)
    is_registry_denied = registry_check is not None and registry_check.outcome == Outcome.FAIL
    observed_versions = NO_OBSERVED_VERSIONS if is_registry_denied else get_observed_versions([row.pk])[row.pk]
    # No one should start to use what the program has suspended or delisted.
    can_install = row.is_listed or row.released_at is None  # the latter is a preview
    return {
        "proofs": list(iterate_proofs(row, observed_versions, checks_by_key)),
        "versions": [each | {"platforms": format_platforms(each["platforms"] or ())} for each in listing.versions],
        "snippet": build_snippet(row, observed_versions) if can_install and not is_registry_denied else None,
        "checks": summarize_checks(row, now),
        "support": serialize_support_metrics(listing),
        "reply": get_current_reply(row),
        "links": list(iterate_registry_links(row, observed_versions)),
        "repository": get_public_repository(row),
    }


def iterate_registry_links(row: Integration, observed_versions: ObservedVersions) -> Iterator[tuple[str, str, str]]:
    """Yield links to the registry as name, text, and URL, and to its documentation unless the partner entered one."""
    if not FULL_NAME_PATTERN.fullmatch(observed_versions.namespace):
        return
    page = f"{settings.REGISTRY_URL.rstrip('/')}/providers/{observed_versions.namespace}/latest"
    if not any(answer.name == "Documentation" for _question, answer in iterate_public_answers(row)):
        yield _("Documentation"), _("Latest version"), f"{page}/docs"
    yield _("Registry"), observed_versions.namespace, page


def get_publisher_checks(row: Integration) -> dict[str, PublisherCheck]:
    """Return the latest conclusive results of the publisher checks by key. A new release does not reset `since`."""
    results_by_key: dict[str, PublisherCheck] = {}
    results = CheckResult.objects.filter(
        integration=row, key__in=(OWNER_CHECK_KEY, REGISTRY_CHECK_KEY, ROTATION_CHECK_KEY)
    ).order_by("pk")
    # An outage neither confirms nor denies a proof.
    conclusive_results = results.exclude(outcome=Outcome.ERROR)
    for key, outcome, at, confirmed_at in conclusive_results.values_list("key", "outcome", "at", "confirmed_at"):
        previous = results_by_key.get(key)
        started_at = previous.since if previous and Outcome.FAIL not in (previous.outcome, outcome) else at
        results_by_key[key] = PublisherCheck(outcome, started_at, confirmed_at or at)
    return results_by_key


def iterate_proofs(
    row: Integration, observed_versions: ObservedVersions, checks_by_key: Mapping[str, PublisherCheck]
) -> Iterator[tuple[str, str, date | None, datetime]]:
    """Yield the proofs of the publisher: kind, name of the account, namespace, or key, begin, and confirmation."""
    passing_checks = {key: check for key, check in checks_by_key.items() if check.outcome in PASSING_OUTCOMES}
    if check := passing_checks.get(OWNER_CHECK_KEY):
        yield "account", row.repository.partition("/")[0], check.since.date(), check.confirmed_at
    if observed_versions.namespace and (check := passing_checks.get(REGISTRY_CHECK_KEY)):
        yield "namespace", observed_versions.namespace, check.since.date(), check.confirmed_at
    if (check := passing_checks.get(ROTATION_CHECK_KEY)) and (signer := _get_current_signer(row)):
        # The key ID of OpenPGP: the last 64 bits of the fingerprint (RFC 4880, section 12.2).
        yield "key", signer["fingerprint"][-16:], parse_date(signer["since"]), check.confirmed_at


def _get_current_signer(row: Integration) -> dict[str, str]:
    """Return the observation of the current signing key, or an empty dictionary."""
    signers = Observation.objects.filter(integration=row, key=SIGNERS_KEY).first()
    return signers.value[-1] if signers is not None and signers.value else {}


def summarize_checks(row: Integration, now: datetime) -> CheckSummary:
    """Summarize the checked and waived requirements of the program and the tier."""
    lines = []
    waivers = []
    for requirement in _list_requirements(row):
        fulfillment = row.fulfillments_by_id.get(requirement.id)
        status = fulfillment.get_display_status(now) if fulfillment else str(Status.OPEN)
        if requirement.responsible_party == FulfillingParty.PORTAL and not requirement.optional:
            lines.append((requirement.title, status, fulfillment.submitted_at if fulfillment else None))
        if fulfillment and status == Status.WAIVED:
            waivers.append(fulfillment)
    return CheckSummary(lines, waivers)


def _list_requirements(row: Integration) -> list[Requirement]:
    tier = row.edition.get_tier(row.tier)
    tier_requirements = tier.requirements if tier is not None else ()
    all_requirements = dict.fromkeys((*row.edition.list_requirements(), *tier_requirements))
    return [requirement for requirement in all_requirements if is_applicable(requirement, row)]


def list_replies(row: Integration) -> QuerySet[AuditEvent]:
    """Return the replies of the partner to its support record, newest first."""
    return AuditEvent.objects.filter(integration=row, event_type=REPLY_EVENT_TYPE).order_by("-seq")


def get_current_reply(row: Integration) -> AuditEvent | None:
    """Return the current reply of the partner, or None. Its note is the text."""
    last_reply = list_replies(row).first()
    return last_reply if last_reply is not None and last_reply.note else None
