"""What waits for the program? Rows and figures of the queue as plain values, whatever its length in two queries."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypedDict
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS, edition_of
from integrations.submissions.models import Integration
from integrations.submissions.workflow.next_action import turn_said
from integrations.submissions.workflow.states import Holder, ReviewState, Stage

SIZE = 50
PLACE = ("program_key", "edition_date", "step", "stage", "review_state", "review_round")
NOBODY = UUID(int=0)  # stands in an address that is made once and filled for each row
NOBODYS = str(NOBODY)
TABS = {"all": gettext_noop("All"), "mine": gettext_noop("Mine"), "free": gettext_noop("Free")}
COLUMNS = (
    *PLACE, "uuid", "name", "partner_id", "partner__name", "turn_holder", "turn_action", "turn_due_at", "turn_since",
    "reasons", "tally", "reviewer_id", "reviewer__name", "reviewer__email", "claimed_until",
)  # fmt: skip
# Outcomes of checks as a narrow cell says them: the sign and the word for those who hear it.
SIGNS = {
    "fail": ("✗", gettext_noop("failed")),
    "error": ("?", gettext_noop("could not be looked at")),
    "stale": ("⟳", gettext_noop("stale")),
    "not_run": ("○", gettext_noop("not run")),
    "warn": ("!", gettext_noop("with a warning")),
    "waived": ("~", "waived"),
    "pass": ("✓", gettext_noop("passed")),
}


class Row(TypedDict):
    """One integration as the queue lists it, in words. `claim`: what the button says, blank for no button.

    A dictionary, since templates read its keys several times faster than attributes, and fifty rows add up.
    """

    href: str
    name: str
    company: str
    program: str
    place: str
    reasons: list[str]
    due: datetime | None
    since: datetime | None
    checks: str
    checks_said: str
    held_by: str
    is_mine: bool
    claim: str
    claim_href: str


@dataclass(frozen=True, slots=True)
class Head:
    """The figures above the queue, of what the filters leave."""

    due_today: int
    open: int
    oldest: str
    tabs: dict[str, int]


def chosen(filters: dict[str, str], now: datetime) -> QuerySet[Integration]:
    """The integrations that the filters leave, the most pressing first."""
    holder = filters.get("holder") or Holder.PROGRAM
    if holder == Holder.PROGRAM:
        rows = Integration.objects.in_queue()
    else:
        others = Integration.objects.open() if holder == "any" else Integration.objects.filter(turn_holder=holder)
        rows = others.order_by("turn_since", "pk")
    wanted = {"program_key": "program", "stage": "stage", "category": "category"}
    rows = rows.filter(**{column: filters[name] for column, name in wanted.items() if filters.get(name)})
    if filters.get("age"):
        rows = rows.filter(turn_since__lte=now - timedelta(days=int(filters["age"])))
    return rows


def in_tab(tab: str, user: Any, now: datetime) -> Q:
    """What a tab shows. Free: nobody's, or somebody's whose claim ran out."""
    free = Q(reviewer=None) | Q(claimed_until__lte=now)
    return {"mine": Q(reviewer=user), "free": free}.get(tab, Q())


def head_of(rows: QuerySet[Integration], user: Any, now: datetime) -> Head:
    """One query for all figures."""
    tomorrow = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    found = rows.order_by().aggregate(
        all=Count("pk"),
        mine=Count("pk", filter=in_tab("mine", user, now)),
        free=Count("pk", filter=in_tab("free", user, now)),
        due_today=Count("pk", filter=Q(turn_due_at__lt=tomorrow)),
        oldest=Min("turn_since"),
    )
    oldest = _length(now - found["oldest"]) if found["oldest"] else ""
    return Head(found["due_today"], found["all"], oldest, {tab: found[tab] for tab in TABS})


def _length(waited: timedelta) -> str:
    """ "6 d", or hours below two days."""
    return f"{waited.days} d" if waited.days > 1 else f"{int(waited.total_seconds() // 3600)} h"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks at the queue, asked once: the companies they belong to, and whether they may claim at all."""

    pk: int
    own: frozenset[int]
    claims: bool


def reader_of(user: Any) -> Reader:
    return Reader(user.pk, frozenset(permissions.roles_of(user)), user.is_reviewer)


def page_of_rows(
    rows: QuerySet[Integration], count: int, number: Any, user: Any, now: datetime
) -> tuple[Page, list[Row]]:
    """One page: its place in the whole (counted before), and its rows in words."""
    paginator = Paginator(rows.values_list(*COLUMNS), SIZE)
    paginator.count = count  # type: ignore[misc]
    page = paginator.get_page(number)
    links = reverse("review", args=[NOBODY]), reverse("claim", args=[NOBODY])
    reader = reader_of(user)
    return page, [_row(dict(zip(COLUMNS, values, strict=True)), links, reader, now) for values in page.object_list]


def _reasons(of: dict[str, Any]) -> list[str]:
    """Why it is in the queue, as it was written down; where it is not the program's turn, whose it is."""
    return list(of["reasons"]) if of["turn_holder"] == Holder.PROGRAM else [of["turn_action"]]


def _row(of: dict[str, Any], links: tuple[str, str], reader: Reader, now: datetime) -> Row:
    href, claim_href = [link.replace(NOBODYS, str(of["uuid"])) for link in links]
    signs = [(of["tally"][outcome], sign, _(word)) for outcome, (sign, word) in SIGNS.items() if outcome in of["tally"]]
    held_by, claim = _claim(of, reader, now)
    return {
        "href": href,
        "name": of["name"],
        "company": of["partner__name"],
        "program": PROGRAMS[of["program_key"]].name,
        "place": _place(get_language(), *[of[column] for column in PLACE]),
        "reasons": [turn_said(each) for each in _reasons(of)],
        "due": of["turn_due_at"],
        "since": of["turn_since"],
        "checks": " ".join([f"{count}{sign}" for count, sign, word in signs]),
        "checks_said": ", ".join([f"{count} {word}" for count, sign, word in signs]) or _("no checks"),
        "held_by": held_by,
        "is_mine": of["reviewer_id"] == reader.pk,
        "claim": claim,
        "claim_href": claim_href,
    }


@lru_cache(maxsize=2000)
def _place(_language: str | None, program: str, edition: str, step: str, stage: str, review: str, turn: int) -> str:
    name = edition_of(program, edition).step(step).name
    if stage != Stage.REVIEW or review != ReviewState.WAITING:
        return name
    round_said = _("new") if turn == 1 else _("round %(number)s") % {"number": turn}
    return f"{name} · {round_said}"


def _claim(of: dict[str, Any], reader: Reader, now: datetime) -> tuple[str, str]:
    """Who has it, in words, and what the button of this person says."""
    until, whose = of["claimed_until"], of["reviewer_id"]
    if of["partner_id"] in reader.own:
        return _("your own company"), ""
    button = _("Claim") if reader.claims else ""
    if whose is None:
        return _("free"), button
    mine = whose == reader.pk
    name = _("yours") if mine else of["reviewer__name"] or of["reviewer__email"]
    if until is None:
        return (_("assigned to you"), button) if mine else (_("assigned to %(name)s") % {"name": name}, "")
    if until > now:
        local = timezone.localtime(until)
        at = f"{local:%H:%M}{' UTC' if local.tzname() == 'UTC' else ''}"
        return _("%(name)s until %(at)s") % {"name": name, "at": at}, ""
    return (_("yours, the claim ran out"), button) if mine else (_("free, was with %(name)s") % {"name": name}, button)
