"""Figures above the SLA list, each beside that of a week ago, in six queries.

The week is the last seven days, the week before the seven days before those: a Monday has a week too. What was at risk
or past due a week ago is said as today's facts tell it; what was blind, as the report of the last week froze it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q
from django.urls import reverse
from django.utils.translation import gettext as _

from integrations.sla.engine.types import Watching
from integrations.sla.filters import STATES, Choice, in_state
from integrations.sla.models import Breach, Watch
from portal.core.iso_weeks import last_complete, zone
from portal.reports import trend_records
from portal.reports.presenters import per_cent

WEEK = timedelta(days=7)
MAX_UNREADABLE = 5  # repositories listed with their reason
LENIENCY = timedelta(minutes=15)  # how much later than planned a repository may be read


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it counts, its value, the one before in words, the list behind it, tone and icon."""

    title: str
    value: str
    before: str
    href: str
    tone: str
    icon: str
    note: str


@dataclass(frozen=True, slots=True)
class Head:
    """Figures above the list.

    `tabs`: (word, address, is it shown, count). `behind`: number of repositories not read lately. `unreadable`: those
    with a known reason, the longest unread first.
    """

    tiles: list[Tile]
    tabs: list[tuple[str, str, bool, int]]
    count: int
    watched: int
    behind: int
    data_up_to: datetime | None
    unreadable: list[Watch]


def head_of(choice: Choice, now: datetime, query: Any) -> Head:
    """`query`: the parameters of the address (a QueryDict), kept in every link."""
    ago, before = now - WEEK, now - 2 * WEEK
    kept = Q(state=Watching.MET)
    tabs = {f"tab_{state}": Count("pk", filter=in_state(state, now)) for state in STATES if state != "disputed"}
    n = choice.clocks().aggregate(
        kept=Count("pk", filter=kept & Q(stopped_at__gte=ago, stopped_at__lt=now)),
        kept_before=Count("pk", filter=kept & Q(stopped_at__gte=before, stopped_at__lt=ago)),
        risk_before=Count("pk", filter=_open_at(ago) & Q(warn75_at__lte=ago, due_at__gt=ago)),
        late_before=Count("pk", filter=_open_at(ago) & Q(due_at__lte=ago) & ~Q(state=Watching.BLIND)),
        **tabs,
    )
    n["tab_disputed"] = choice.clocks().filter(in_state("disputed", now)).count()  # few, by an index of their own
    broken, broken_before = _broken(choice, before, ago, now)
    ago_said = _("a week ago %(count)s")
    tiles = [
        _share_tile(n["kept"], broken, n["kept_before"], broken_before, _link(query, "all")),
        Tile(_("At risk"), str(n["tab_at_risk"]), ago_said % {"count": n["risk_before"]}, _link(query, "at_risk"),
             "warn" if n["tab_at_risk"] else "neutral", "triangle-alert", _("75 % or more of the time is used")),
        Tile(_("Breached"), str(n["tab_breached"]), ago_said % {"count": n["late_before"]}, _link(query, "breached"),
             "bad" if n["tab_breached"] else "neutral", "alarm-clock-off", _("past due and still open")),
        Tile(_("Blind"), str(n["tab_blind"]), _blind_before(choice, now), _link(query, "blind"),
             "info" if n["tab_blind"] else "neutral", "eye-off", _("our data ends before the due moment")),
    ]  # fmt: skip
    told = [(_(word), _link(query, state), state == choice.state, n[f"tab_{state}"]) for state, word in STATES.items()]
    return Head(tiles, told, n[f"tab_{choice.state}"], **_known(choice, now))


def _blind_before(choice: Choice, now: datetime) -> str:
    """What the last weekly report said; blank where there is none of just this."""
    week = last_complete(now, zone())
    return "".join(
        _("when week %(number)s ended %(n)s") % {"number": week.number, "n": n}
        for n in trend_records.blind(choice.report, [week]).values()
    )


def _open_at(at: datetime) -> Q:
    return Q(started_at__lte=at) & (Q(stopped_at=None) | Q(stopped_at__gt=at))


def _broken(choice: Choice, before: datetime, ago: datetime, now: datetime) -> tuple[int, int]:
    """Breaches that fell due in the last seven days, and in those before."""
    mine = Breach.objects.filter(choice.of, retracted_at=None, due_at__gte=before, due_at__lt=now)
    found = mine.aggregate(now=Count("pk", filter=Q(due_at__gte=ago)), before=Count("pk", filter=Q(due_at__lt=ago)))
    return found["now"], found["before"]


def _known(choice: Choice, now: datetime) -> dict[str, Any]:
    """How many repositories are watched, how many of them are behind, and how far the furthest behind is known.

    Behind is what could not be read, or was not when its moment came: one whose hook works is read once an hour.
    """
    watches = Watch.objects.filter(choice.scope, ended_at=None)
    behind = Count("pk", filter=~Q(trouble="") | Q(poll_at__lt=now - LENIENCY))
    troubled = watches.exclude(trouble="").select_related("integration").order_by("data_up_to", "pk")
    return {
        **watches.aggregate(watched=Count("pk"), behind=behind, data_up_to=Min("data_up_to")),
        "unreadable": list(troubled[:MAX_UNREADABLE]),
    }


def _share_tile(kept: int, broken: int, kept_before: int, broken_before: int, href: str) -> Tile:
    note = (
        _("%(kept)s of %(count)s in the last 7 days") % {"kept": kept, "count": kept + broken}
        if kept + broken
        else _("nothing came due in the last 7 days")
    )
    tone = "neutral" if not kept + broken else "good" if not broken else "neutral"
    old = _share(kept_before, broken_before)
    return Tile(
        _("In time"),
        per_cent(_share(kept, broken)),
        _("the 7 days before %(old)s") % {"old": per_cent(old)},
        href,
        tone,
        "timer",
        note,
    )


def _share(kept: int, broken: int) -> float | None:
    return round(100 * kept / (kept + broken), 1) if kept + broken else None


def _link(query: Any, state: str) -> str:
    """The same list in another state, from its first page."""
    found = query.copy()
    for name in ("page", "state"):
        found.pop(name, None)
    if state:
        found["state"] = state
    return reverse("sla") + (f"?{found.urlencode()}" if found else "")
