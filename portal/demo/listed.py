"""What is known of the demo's listings? Versions, owners and keys that were seen, a reply, and who was removed."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from integrations.programs.schema import Kind, Who
from integrations.sla.models import Watch
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform
from integrations.submissions.workflow.states import Status
from portal.directory.models import Listing
from portal.directory.partner_replies import reply
from portal.directory.services import read_again
from verification.checks.models import CheckResult
from verification.checks.services import observations
from verification.sources.published_versions import Published

# name: (versions, newest first; platforms of the newest)
EVERYWHERE = ("linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64")
UNIX = ("linux_amd64", "linux_arm64", "darwin_arm64")
LINUX = ("linux_amd64", "linux_arm64")
RELEASED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Globex Firewall": (("2.4.1", "2.4.0", "2.3.7", "2.0.0"), (*EVERYWHERE, "freebsd_amd64")),
    "Nordlicht": (("1.18.0", "1.17.2", "1.17.1"), EVERYWHERE),
    "Tanuki dashboards": (("0.9.3", "0.9.2"), UNIX),
    "Kestrel warehouse": (("3.0.2", "3.0.1", "2.11.0"), EVERYWHERE),
    "Papaya": (("1.2.0",), UNIX),
    "Initech Proxy": (("1.6.4", "1.6.3"), LINUX),
    "Booster driver": (("0.7.0", "0.6.1"), LINUX),
    "Tanuki images": (("1.1.0", "1.0.2"), UNIX),
}
OWNER, LISTED, KEYS = "repository.owner", "registry.listed", "keys.rotation"
REPLIED = {"Globex Firewall": "The late one fell into an outage of our own test cloud, from 3 to 5 of the month.\n"
           "Since then two people are on call."}  # fmt: skip


def published(now: datetime) -> None:
    """What the checks would have seen, what a company says to its record, and every row as of now."""
    for row in Integration.objects.listed_once().select_related("partner"):
        _looked_at_again(row, now - timedelta(hours=5))
        if row.name in RELEASED:
            _release(row, *RELEASED[row.name], now)
        if row.name in REPLIED:
            member = row.partner.memberships.get(role="owner").user
            reply(row, REPLIED[row.name], by=member, now=now - timedelta(days=2))
    read_again(Listing.objects.all(), now)


def _looked_at_again(row: Integration, now: datetime) -> None:
    """What every night does: the machine looks, and finds what it found before."""
    states = row.states.filter(status=Status.PASS)
    for state in states if row.is_open else ():
        asked = state.requirement
        if asked is not None and asked.who == Who.MACHINE:
            said: dict[str, Any] = {"summary": state.summary, "detail": state.detail, "retry_at": None}
            answers.record_checks(row, asked.id, outcome=Status.PASS, now=now, **said)


def _release(row: Integration, versions: tuple[str, ...], platforms: tuple[str, ...], now: datetime) -> None:
    owner, seen = row.repository.partition("/")[0], now - timedelta(hours=5)
    summary = f"{owner} owns it, as when it was entered."
    _passed(row, OWNER, summary, row.created_at, seen)
    if "-provider-" not in row.repository:
        observations.remember(row, "release.newest", {"release.newest": versions[0]}, seen)
        return
    name = f"{owner}/{row.repository.partition('-provider-')[2]}"
    source, builds = f"https://github.com/{row.repository}", dict.fromkeys(versions, platforms)
    builds[versions[-1]] = platforms if len(versions) == 1 else platforms[:2]  # the first release was for fewer
    found = Published(name, source, "partner", versions, versions[0], builds[versions[0]], builds=builds)
    began = row.released_at or row.created_at
    observations.remember(row, LISTED, {"registry": found.as_dict()}, began)
    observations.remember(row, LISTED, {"registry": found.as_dict()}, seen)
    listed = f"The registry lists {name} {versions[0]}."
    _passed(row, LISTED, listed, began, seen)
    fingerprint = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest().upper()
    key = {"fingerprint": fingerprint, "since": f"{began:%Y-%m-%d}", "version": versions[-1]}
    observations.remember(row, KEYS, {"keys.signers": [key]}, seen)
    _passed(row, KEYS, f"The key {fingerprint[-16:]} signs since {key['since']}.", began, seen)


def _passed(row: Integration, key: str, summary: str, at: datetime, seen: datetime) -> None:
    CheckResult.objects.create(
        integration=row, key=key, version=1, outcome="pass", summary=summary, at=at, confirmed_at=seen
    )


def _step(row: Integration, step: str, by: Any, now: datetime, note: str) -> None:
    Watch.objects.filter(integration=row).update(data_up_to=now)
    perform(row, step, by=by, note=note, now=now)


def _others(reviewer: Any) -> QuerySet[Any]:
    """Another reviewer: what one began, another one ends."""
    return type(reviewer).objects.filter(is_reviewer=True).exclude(pk=reviewer.pk).order_by("pk")


def suspended(row: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    """A notice, a month without an answer, and another reviewer's decision."""
    _step(row, "give_notice", reviewer, now - timedelta(days=40), "Nobody has answered an issue since spring.")
    _step(row, "suspend", _others(reviewer)[0], now - timedelta(days=6), "Nothing was done in the period.")


def removed(row: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    """The same, and two months later the end of it."""
    _step(row, "give_notice", reviewer, now - timedelta(days=110), "It does not start with this year’s release.")
    _step(row, "suspend", _others(reviewer)[0], now - timedelta(days=76), "Nothing was done in the period.")
    _step(row, "remove", reviewer, now - timedelta(days=11), "It was suspended for two months.")


def stepped_down(row: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    _step(row, "step_down", owner, now, "We no longer have the people for it.")


def excused(row: Integration, owner: Any, reviewer: Any, now: datetime) -> None:
    """A reviewer lets one check wait that it passes no more, for a reason and until a day."""
    checks = [r for r in row.edition.requirements() if r.kind == Kind.CHECK and not r.optional]
    asked = next((r for r in checks if any(key.startswith("docs.") for key in r.checks)), checks[-1])
    found: dict[str, Any] = {"summary": "Two files are named otherwise.", "detail": [], "retry_at": None}
    answers.record_checks(row, asked.id, outcome=Status.FAIL, now=now, **found)
    why = "The next major version renames them; doing it now would break what users have pinned."
    answers.waive(row, asked.id, reason=why, until=now + timedelta(days=120), by=reviewer, now=now)


THEN: dict[str, Callable[[Integration, Any, Any, datetime], None]] = {
    "suspended": suspended,
    "removed": removed,
    "stepped down": stepped_down,
    "excused": excused,
}
