"""Who has how much to review, which waivers are open, and which checks fail most? One query each."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Min, Q, QuerySet
from django.utils import dates, timezone
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS, edition_of
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration, RequirementState
from integrations.submissions.models.integration import BEFORE_RELEASE
from integrations.submissions.workflow.states import ENDS, Holder, Status
from portal.analytics.filters import Choice
from portal.audit.models import Event

DECISIONS = ("approve", "request_changes", "decline")
LATELY = timedelta(days=30)
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Load:
    """One reviewer: how many reviews are theirs, how many of those wait for them and since when, what they decided."""

    name: str
    open: int
    most: int
    waiting: int
    oldest: datetime | None
    decided: int
    away: str

    @property
    def pieces(self) -> list[tuple[str, float]]:
        """What waits for them, then what waits for others; beyond what they take on stands out."""
        others = self.open - self.waiting
        over = max(0, self.open - self.most)
        parts = (("counted", min(self.waiting, self.most)), ("paused", max(0, others - over)), ("over", over))
        return [(kind, float(n)) for kind, n in parts if n]

    @property
    def said(self) -> str:
        said = _("%(open)s of %(most)s taken on, %(waiting)s wait for them")
        return said % {"open": self.open, "most": self.most, "waiting": self.waiting}


def loads(choice: Choice) -> list[Load]:
    """Every active reviewer, who has most that waits first. Two queries."""
    of = Q(reviews__stage__in=[str(s) for s in BEFORE_RELEASE]) & Q(**choice.of("reviews__program_key"))
    waits = of & Q(reviews__turn_holder=str(Holder.PROGRAM))
    people = get_user_model().objects.filter(is_reviewer=True, is_active=True).select_related("reviewer_profile")
    counted = people.annotate(
        load=Count("reviews", filter=of), waiting=Count("reviews", filter=waits),
        oldest=Min("reviews__turn_since", filter=waits),
    )  # fmt: skip
    decided = _decided(choice)
    found = [_load(person, decided[person.pk], choice.now) for person in counted.order_by("name", "pk")]
    return sorted(found, key=lambda load: (-load.waiting, -load.open, load.name))


def _decided(choice: Choice) -> Counter[int]:
    events = Event.objects.filter(verb__in=DECISIONS, at__gt=choice.now - LATELY, at__lte=choice.now)
    of = events.filter(**choice.of("integration__program_key")).order_by()
    return Counter(dict(of.values_list("actor_id").annotate(n=Count("pk"))))


def _load(person: Any, decided: int, now: datetime) -> Load:
    profile = getattr(person, "reviewer_profile", None) or ReviewerProfile(user=person)
    away = away_words(profile.away_from, profile.away_until, timezone.localtime(now).date())
    return Load(str(person), person.load, profile.most_open, person.waiting, person.oldest, decided, away)


def away_words(start: date | None, end: date | None, today: date) -> str:
    """ "away until 3 May", "away until further notice", "away from 3 May", or blank."""
    if start is None or (end is not None and end < today):
        return ""
    if start > today:
        return _("away from %(day)s") % {"day": _day(start)}
    return _("away until %(day)s") % {"day": _day(end)} if end else _("away until further notice")


def _day(day: date) -> str:
    return f"{day.day} {str(dates.MONTHS_3[day.month]).title()}"


def unassigned(choice: Choice) -> dict[str, Any]:
    """What waits for the program and is nobody's: {"count", "oldest"}."""
    rows = Integration.objects.filter(turn_holder=Holder.PROGRAM, reviewer=None, **choice.of())
    return rows.aggregate(count=Count("pk"), oldest=Min("turn_since"))


def waivers(choice: Choice) -> list[RequirementState]:
    """Those of the open waivers that a page shows, and one more where there are more."""
    return list(open_waivers(choice)[: SHOWN + 1])


def open_waivers(choice: Choice) -> QuerySet[RequirementState]:
    """The waivers that count now, the one that ends first first; each with its integration."""
    rows = RequirementState.objects.filter(waived_until__gt=choice.now, **choice.of("integration__program_key"))
    open_ones = rows.exclude(integration__stage__in=[str(stage) for stage in ENDS])
    return open_ones.select_related("integration__partner", "given_by").order_by("waived_until", "pk")


@dataclass(frozen=True, slots=True)
class Failing:
    """One check requirement of a program: of how many integrations that were looked at it fails now."""

    program: str
    title: str
    failed: int
    looked: int

    @property
    def program_name(self) -> str:
        return PROGRAMS[self.program].name

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [("over", float(self.failed)), ("left", float(self.looked - self.failed))]

    @property
    def said(self) -> str:
        return _("%(failed)s of %(looked)s") % {"failed": self.failed, "looked": self.looked}


LOOKED = (Status.PASS, Status.WARN, Status.FAIL)


def failing(choice: Choice) -> list[Failing]:
    """The checks that fail most, as many as a page shows."""
    return every_failing(choice)[:SHOWN]


def every_failing(choice: Choice) -> list[Failing]:
    """The checks that fail of open integrations, the most failed first."""
    rows = RequirementState.objects.filter(
        status__in=[str(s) for s in LOOKED], **choice.of("integration__program_key")
    ).exclude(integration__stage__in=[str(stage) for stage in ENDS])
    counted = (
        rows.order_by()
        .values_list("integration__program_key", "integration__edition_date", "requirement_id")
        .annotate(failed=Count("pk", filter=Q(status=str(Status.FAIL))), looked=Count("pk"))
    )
    found: dict[tuple[str, str], list[int]] = {}
    for program, edition, key, failed, looked in counted.filter(failed__gt=0):
        requirement = edition_of(program, edition).requirement(key)
        sums = found.setdefault((program, requirement.title if requirement else key), [0, 0])
        sums[0] += failed
        sums[1] += looked
    ordered = sorted(found.items(), key=lambda pair: (-pair[1][0], -pair[1][0] / pair[1][1], pair[0]))
    return [Failing(*place, *sums) for place, sums in ordered]
