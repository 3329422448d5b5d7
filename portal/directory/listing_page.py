"""What stands on the page of one listing? Who publishes it and how that was seen, versions, links, checks, support.

Everything is read from what people answered and machines found; nothing here is written.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.dateparse import parse_date
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations.programs.schema import Requirement, Who
from integrations.submissions.models import Integration
from integrations.submissions.selectors.context import applies, states_of
from integrations.submissions.workflow.states import MET, Status
from portal.audit.models import Event
from portal.directory.install_snippets import Snippet, constraint, snippet_of
from portal.directory.listing_content import public_answers
from portal.directory.models import Listing
from portal.directory.observed_versions import NOTHING, Seen, seen_of
from portal.directory.search import platform_words, support_data
from verification.checks.models import CheckResult, Observation
from verification.outcomes import Outcome

REPLIED = "support_replied"
FULL_NAME = re.compile(r"[A-Za-z0-9][\w-]*/[A-Za-z0-9][\w-]*", re.ASCII)  # a namespace and a name, and no more path
SIGNERS = "keys.signers"
OWNER, LISTED, ROTATION = "repository.owner", "registry.listed", "keys.rotation"
HOLDS = {Outcome.PASS, Outcome.WARN}


@dataclass(frozen=True, slots=True)
class Proof:
    """One way in which the publisher is known: what, the sentence, since when, last confirmed when."""

    what: str
    icon: str
    said: str
    since: date | None
    confirmed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Held:
    """What a check said last, outages apart: whether it holds or is denied, since when undenied, when last seen."""

    holds: bool
    denied: bool
    since: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Line:
    """One requirement that a machine looks at, as everyone may know it."""

    title: str
    shown: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Waiver:
    """What counts as met for a while: why, and until when."""

    title: str
    why: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks say now. `passed`, `left`: how many hold and how many do not, waived ones apart."""

    at: datetime | None
    passed: int
    left: int
    lines: list[Line]
    waivers: list[Waiver]

    @property
    def said(self) -> str:
        told = [_("%(count)s pass") % {"count": self.passed}]
        told += [_("%(count)s waived") % {"count": len(self.waivers)}] if self.waivers else []
        told += [_("%(left)s being put right or looked at again") % {"left": self.left}] if self.left else []
        return ", ".join(told)


@dataclass(frozen=True, slots=True)
class Version:
    """A version that was seen: with the platforms it was released for, by system, where that is known."""

    version: str
    platforms: list[str]
    newest: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """What the publisher says to its record, and since when."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """Something of it elsewhere: what, the words of the link, the whole address."""

    name: str
    words: str
    href: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that is read for the page of one listing."""

    proofs: list[Proof]
    versions: list[Version]
    constraint: str
    snippet: Snippet | None
    checked: Checked
    support: dict[str, Any]
    reply: Reply | None
    links: list[Place]


def page_of(row: Integration, listing: Listing, now: datetime) -> Page:
    """The page as of now, in five queries and that for the answers.

    Where the registry has nothing under the name, or somebody else's, nothing of it is shown as the publisher's.
    """
    told = held(row)
    is_elsewhere = LISTED in told and told[LISTED].denied
    seen = NOTHING if is_elsewhere else seen_of([row.pk]).get(row.pk, NOTHING)
    return Page(
        proofs=list(proofs(row, seen, told)),
        versions=versions(listing),
        constraint=constraint(seen.version),
        snippet=snippet_of(row, seen) if row.is_listed and not is_elsewhere else None,
        checked=checked(row, now),
        support=support_data(listing),
        reply=reply_of(row),
        links=list(registry_links(row, seen)),
    )


def registry_links(row: Integration, seen: Seen) -> Iterator[Place]:
    """Where the registry shows what it was seen to list; its documentation only where the company named no other."""
    if not FULL_NAME.fullmatch(seen.namespace):
        return
    page = f"{settings.REGISTRY_URL.rstrip('/')}/providers/{seen.namespace}/latest"
    if not any(told.name == "Documentation" for _, told in public_answers(row)):
        yield Place(gettext("Documentation"), gettext("Of the newest version"), f"{page}/docs")
    yield Place(gettext("In the Registry"), seen.namespace, page)


def held(row: Integration) -> dict[str, Held]:
    """What the checks of the publisher say, by their keys. A new release is no new beginning. One query."""
    found: dict[str, Held] = {}
    results = CheckResult.objects.filter(integration=row, key__in=(OWNER, LISTED, ROTATION)).order_by("pk")
    settled = results.exclude(outcome=Outcome.ERROR)
    for key, outcome, at, again in settled.values_list("key", "outcome", "at", "confirmed_at"):
        before, denied = found.get(key), outcome == Outcome.FAIL
        since = before.since if before and not (before.denied or denied) else at
        found[key] = Held(outcome in HOLDS, denied, since, again or at)
    return found


def proofs(row: Integration, seen: Seen, told: Mapping[str, Held]) -> Iterator[Proof]:
    """How the publisher is known: its account on GitHub, its namespace in the registry, the key that signs."""
    owner, listed, rotation = (told.get(key) for key in (OWNER, LISTED, ROTATION))
    if owner is not None and owner.holds:
        name = row.repository.partition("/")[0]
        text = _("%(name)s owns the repository.") % {"name": name}
        yield Proof(_("GitHub account"), "git-branch", text, owner.since.date(), owner.seen_at)
    if seen.namespace and listed is not None and listed.holds:
        text = _("The registry lists %(namespace)s from this repository.") % {"namespace": seen.namespace}
        yield Proof(_("Registry namespace"), "package", text, listed.since.date(), listed.seen_at)
    if rotation is not None and rotation.holds and (last := _signer(row)):
        text = _("Releases are signed by the key %(key)s.") % {"key": str(last.get("fingerprint", ""))[-16:]}
        yield Proof(_("Signing key"), "key-round", text, _day(last.get("since")), rotation.seen_at)


def _signer(row: Integration) -> dict[str, Any]:
    """The key that signs now, as the checks keep it; empty where none was seen."""
    signers = Observation.objects.filter(integration=row, key=SIGNERS).first()
    known = signers.value if signers is not None else None
    return known[-1] if isinstance(known, list) and known and isinstance(known[-1], dict) else {}


def _day(text: Any) -> date | None:
    try:
        return parse_date(str(text))
    except ValueError:
        return None


def versions(listing: Listing) -> list[Version]:
    return [
        Version(each["version"], platform_words(each["platforms"] or ()), each["version"] == listing.version)
        for each in listing.versions
    ]


def checked(row: Integration, now: datetime) -> Checked:
    """What machines find of it, and what was waived: requirements of its path and of its tier."""
    states, lines, counts = states_of(row), [], Counter[bool]()
    moments = []
    for requirement in _asked(row):
        state = states.get(requirement.id)
        shown = state.shown(now) if state else str(Status.OPEN)
        if requirement.who == Who.MACHINE and not requirement.optional:
            at = state.given_at if state else None
            lines.append(Line(requirement.title, shown, at))
            moments += [at] if at else []
            if shown != Status.WAIVED:
                counts[shown in MET] += 1
    waivers = [
        Waiver(r.title, states[r.id].waiver_reason, until)
        for r in _asked(row)
        if r.id in states and states[r.id].shown(now) == Status.WAIVED and (until := states[r.id].waived_until)
    ]
    return Checked(max(moments, default=None), counts[True], counts[False], lines, waivers)


def _asked(row: Integration) -> list[Requirement]:
    tier = row.edition.tier(row.tier)
    more = tier.requirements if tier is not None else ()
    every = dict.fromkeys((*row.edition.requirements(), *more))
    return [requirement for requirement in every if applies(requirement, row)]


def replies(row: Integration) -> QuerySet[Event]:
    """Everything that its company has said to its record, the newest first."""
    return Event.objects.filter(integration=row, verb=REPLIED).order_by("-seq")


def reply_of(row: Integration) -> Reply | None:
    """What its company says now; None where it says nothing, or has taken it back."""
    last = replies(row).first()
    return Reply(last.note, last.at) if last is not None and last.note else None
