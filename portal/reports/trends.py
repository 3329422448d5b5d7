"""Is it getting better, and with whom? Twelve weeks of promises, and how long answers took, in nine queries."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q
from django.db.models.functions import TruncWeek
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS, edition_of
from integrations.programs.schema import Target
from integrations.sla.clock_usage import target_words
from integrations.sla.engine.types import Severity, Watching
from integrations.sla.filters import Choice
from integrations.sla.models import Breach, Clock
from portal.core.iso_weeks import Week, week_of
from portal.reports import trend_records
from portal.reports.presenters import per_cent
from portal.ui.charts.columns import Chart, Column

WEEKS = 12
HOUR, DAY = 3600, 86400
DAYS_SHOWN = 7  # a longer target is shown in quarters
USUAL = {Severity.CRITICAL: Target(hours=48), Severity.OTHER: Target(business_days=5)}  # columns where none is promised
VERBS = {"respond": gettext_noop("First answer"), "resolve": gettext_noop("Resolved")}


@dataclass(frozen=True, slots=True)
class Span:
    """The columns of a chart: `ends` in seconds, one label each and one for what is longer; the target's words."""

    ends: tuple[int, ...]
    labels: tuple[str, ...]
    target: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """One program or partner: what it kept and broke in the weeks shown."""

    name: str
    kept: int
    broken: int

    @property
    def in_time(self) -> str:
        return per_cent(round(100 * self.kept / (self.kept + self.broken), 1))

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [(kind, n) for kind, n in (("counted", float(self.kept)), ("over", float(self.broken))) if n]

    @property
    def said(self) -> str:
        return _("%(kept)s kept, %(broken)s broken") % {"kept": self.kept, "broken": self.broken}


@dataclass(frozen=True, slots=True)
class Trends:
    """Everything on the page."""

    weeks: Chart
    lengths: list[Chart]
    programs: list[Share]
    partners: list[Share]


def trends_of(choice: Choice, now: datetime, zone: ZoneInfo) -> Trends:
    """The last twelve weeks, this one included, of what the filters leave."""
    earlier, weeks = _weeks(now, zone)
    start = weeks[0].span(zone)[0]
    kept, broken = _kept_and_broken(choice, start, now)
    return Trends(
        weeks=_by_week(
            earlier, weeks, *_settled(choice, earlier[0], now, zone), trend_records.blind(choice.report, weeks)
        ),
        lengths=_lengths(choice, start, now),
        programs=_shares(kept, broken, "integration__program_key", {key: p.name for key, p in PROGRAMS.items()}),
        partners=_shares(kept, broken, "integration__partner__name", {}),
    )


def _kept_and_broken(choice: Choice, start: datetime, now: datetime) -> tuple[Any, Any]:
    kept = choice.clocks().filter(state=Watching.MET, stopped_at__gte=start, stopped_at__lte=now)
    return kept, Breach.objects.filter(choice.of, retracted_at=None, due_at__gte=start, due_at__lte=now)


def _weeks(now: datetime, zone: ZoneInfo) -> tuple[list[Week], list[Week]]:
    """The twelve weeks before, and the last twelve, this one included."""
    found = [week_of(now.astimezone(zone).date())]
    while len(found) < 2 * WEEKS:
        found.append(found[-1].before)
    return found[: WEEKS - 1 : -1], found[WEEKS - 1 :: -1]


def _settled(choice: Choice, first: Week, now: datetime, zone: ZoneInfo) -> tuple[dict[date, int], dict[date, int]]:
    """What was kept and what was broken since the first week, by the Monday of each."""
    kept, broken = _kept_and_broken(choice, first.span(zone)[0], now)
    return _counted(kept, "stopped_at", zone), _counted(broken, "due_at", zone)


def _counted(rows: Any, column: str, zone: ZoneInfo) -> dict[date, int]:
    """How many by the Monday of their week."""
    weekly = rows.order_by().annotate(week=TruncWeek(column, tzinfo=zone)).values_list("week")
    return {moment.astimezone(zone).date(): n for moment, n in weekly.annotate(n=Count("pk"))}


def _by_week(
    earlier: list[Week], weeks: list[Week], kept: dict[date, int], broken: dict[date, int], blind: dict[Week, int]
) -> Chart:
    columns = [
        Column(
            f"W{week.number}", kept.get(week.monday, 0), broken.get(week.monday, 0), str(blind.get(week, "")),
            kept.get(before.monday, 0) + broken.get(before.monday, 0),
        )
        for before, week in zip(earlier, weeks, strict=True)
    ]  # fmt: skip
    return Chart("weeks", _("Promises kept and broken by week"), tuple(columns))


def _lengths(choice: Choice, start: datetime, now: datetime) -> list[Chart]:
    """How long answers and resolutions took, promised or only measured, each severity in its own time."""
    stopped = Clock.objects.filter(choice.of, stopped_at__gte=start, stopped_at__lte=now, verb__in=VERBS).order_by()
    kinds = [(verb, severity) for verb in VERBS for severity in USUAL]
    promises = _promises(stopped.values_list("integration__program_key", "issue__edition").distinct())
    spans = {kind: span_of(promises.get(kind, set()), USUAL[kind[1]]) for kind in kinds}
    columns = {
        f"{verb}_{severity}_{n}": Count("pk", filter=_between(span.ends, n) & Q(severity=severity, verb=verb))
        for (verb, severity), span in spans.items()
        for n in range(len(span.labels))
    }
    counts = stopped.aggregate(**columns)
    return [
        _length_chart(*kind, span, [counts[f"{kind[0]}_{kind[1]}_{n}"] for n in range(len(span.labels))])
        for kind, span in spans.items()
    ]


def _promises(editions: Iterable[tuple[str, str]]) -> dict[tuple[str, Severity], set[Target]]:
    """The targets of these editions of programs, by verb and severity."""
    found: dict[tuple[str, Severity], set[Target]] = {}
    for key, date_ in editions:
        sla = edition_of(key, date_).sla
        for severity, target in ((Severity.CRITICAL, sla.critical), (Severity.OTHER, sla.other)):
            if target is not None:
                found.setdefault((str(sla.verb), severity), set()).add(target)
    return found


def span_of(targets: set[Target], usual: Target) -> Span:
    """Columns up to the target; without a line where none is promised, or not the same by all."""
    target = next(iter(targets)) if len(targets) == 1 else None
    shown = target or usual
    whole, unit = (shown.hours, HOUR) if shown.hours else (shown.business_days or 1, DAY)
    parts = whole if unit == DAY and whole <= DAYS_SHOWN else 4
    lengths = [whole * n / parts for n in range(1, parts + 1)]
    words = tuple(_length(n, unit) for n in lengths)
    return Span(tuple(int(n * unit) for n in lengths), (*words, _("longer")), _promised(target) if target else "")


def _length(n: float, unit: int) -> str:
    said = _("%(count)s h") if unit == HOUR else ngettext("%(count)s day", "%(count)s days", 1 if n == 1 else 2)
    return said % {"count": f"{n:g}"}


def _promised(target: Target) -> str:
    said = _("ideally %(target)s") if target.ideally else _("target %(target)s")
    return said % {"target": target_words(target)}


def _between(ends: tuple[int, ...], n: int) -> Q:
    """Column n: more than the end before it, at most its own."""
    above = Q(counted_seconds__gt=ends[n - 1]) if n else Q()
    return above & Q(counted_seconds__lte=ends[n]) if n < len(ends) else above


def _length_chart(verb: str, severity: str, span: Span, numbers: list[int]) -> Chart:
    """What took longer than a target was late; where there is none, it only took longer."""
    last = Column(span.labels[-1], 0, numbers[-1]) if span.target else Column(span.labels[-1], numbers[-1])
    columns = [Column(label, number) for label, number in zip(span.labels[:-1], numbers, strict=False)] + [last]
    title = f"{_(VERBS[verb])}, {_('critical') if severity == Severity.CRITICAL else _('all others')}"
    after = len(span.ends) if span.target else -1
    return Chart(f"{verb}-{severity}", title, tuple(columns), after, span.target)


def _shares(kept: Any, broken: Any, column: str, names: dict[str, str]) -> list[Share]:
    """What each kept and broke, the worst first."""
    counts: dict[str, list[int]] = {}
    for place, rows in enumerate((kept, broken)):
        for key, n in rows.order_by().values_list(F(column)).annotate(n=Count("pk")):
            counts.setdefault(key, [0, 0])[place] = n
    found = [Share(names.get(key, key), *both) for key, both in counts.items()]
    return sorted(found, key=lambda share: (-share.broken, -share.kept, share.name))
