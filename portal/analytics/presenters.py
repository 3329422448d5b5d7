"""How are the office's figures said and drawn? Rows and charts for its pages, made of plain figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.programs.registry import PROGRAMS
from portal.analytics import metrics
from portal.analytics.metrics import StageFigures
from portal.ui.charts import stacked_bar
from portal.ui.charts.columns import Chart, Column

STAGE_NAMES = {
    "engage": gettext_noop("Engage"),
    "develop": gettext_noop("Develop"),
    "review": gettext_noop("Review"),
    "release": gettext_noop("Release"),
    "support": gettext_noop("Support"),
}
HOLDER_NAMES = {
    "partner": gettext_noop("Partner"),
    "program": gettext_noop("Program"),
    "machine": gettext_noop("Portal"),
    "outage": gettext_noop("Outage"),
    "third_party": gettext_noop("Others"),
}


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage of one program in words, with its bar: up to the middle, and on to nine of ten."""

    program: str
    stage: str
    count: int
    p50: str
    p90: str
    pieces: list[tuple[str, float]]
    total: float
    said: str


def days(value: float | None) -> str:
    """ "4.5", whole from ten on; a dash for nothing."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def stage_rows(found: Mapping[str, list[StageFigures]]) -> list[StageRow]:
    """The lines of the table: the stages that anybody left, of the first (blank: all) and of each with enough."""
    told = {program: stages for n, (program, stages) in enumerate(found.items()) if not n or _is_told(stages)}
    rows = [(program, each) for program, stages in told.items() for each in stages if each.count]
    longest = max((each.p90 or 0 for _, each in rows), default=0) or 1
    return [_stage_row(PROGRAMS[p].name if p else _("All programs"), each, longest) for p, each in rows]


def _is_told(stages: list[StageFigures]) -> bool:
    return any(each.p50 is not None for each in stages)


def sparse(found: Mapping[str, list[StageFigures]]) -> list[str]:
    """The programs of which too few went on for any figure of their own."""
    return [PROGRAMS[program].name for program, stages in found.items() if not _is_told(stages)]


def _stage_row(program: str, each: StageFigures, longest: float) -> StageRow:
    known = each.p50 is not None and each.p90 is not None
    pieces = [("counted", each.p50 or 0.0), ("paused", (each.p90 or 0.0) - (each.p50 or 0.0))] if known else []
    said = _("%(middle)s at the middle, %(nine)s for nine of ten") % {"middle": days(each.p50), "nine": days(each.p90)}
    said = said if known else _("too few to say (below %(enough)s)") % {"enough": metrics.ENOUGH}
    return StageRow(
        program, _(STAGE_NAMES[each.stage]), each.count, days(each.p50), days(each.p90),
        [(kind, amount) for kind, amount in pieces if amount], longest, said,
    )  # fmt: skip


def distributions(stages: Iterable[StageFigures]) -> list[Chart]:
    """How the stays of each stage spread over working days."""
    names = [*map(str, metrics.ENDS_OF_COLUMNS), _("more")]
    return [
        Chart(
            f"spread-{each.stage}",
            _("%(stage)s: up to how many working days") % {"stage": _(STAGE_NAMES[each.stage])},
            tuple(Column(name, n) for name, n in zip(names, each.columns, strict=True)),
        )
        for each in stages
    ]


@dataclass(frozen=True, slots=True)
class Shares:
    """Where the time of the stages went: the picture, the kinds that occur, and the table."""

    drawn: SafeString
    kinds: list[tuple[str, SafeString]]
    rows: list[tuple[str, list[str], str]]

    @property
    def is_empty(self) -> bool:
        return not self.rows


def shares(found: Mapping[str, Mapping[str, timedelta]]) -> Shares:
    """Stacked bars, one a stage."""
    kept = {stage: holders for stage, holders in found.items() if holders}
    kinds = [holder for holder in metrics.HOLDERS if any(holder in holders for holders in kept.values())]
    drawn = [
        stacked_bar.Bar(_(STAGE_NAMES[stage]), tuple((h, time / metrics.DAY) for h, time in holders.items()))
        for stage, holders in kept.items()
    ]
    rows = [
        (bar.name, [_cell(bar, kind) for kind in kinds], _("%(count)s days") % {"count": f"{bar.whole:.0f}"})
        for bar in drawn
    ]  # fmt: skip
    names = {kind: _(name) for kind, name in HOLDER_NAMES.items()}
    picture = stacked_bar.stacked("holders", _("Where the time of each stage went"), drawn, names)
    return Shares(picture, [(names[k], stacked_bar.swatch("holders", k)) for k in kinds], rows)


def _cell(bar: stacked_bar.Bar, kind: str) -> str:
    amount = dict(bar.pieces).get(kind, 0.0)
    said = {"amount": f"{amount:.1f}", "share": stacked_bar.share(amount, bar.whole)}
    return _("%(amount)s d, %(share)s") % said if amount else "–"


def rounds_chart(counts: list[tuple[str, int]]) -> Chart:
    columns = tuple(Column(_(word), n) for word, n in counts)
    return Chart("rounds", _("Reviews by the rounds that they took"), columns)


def tabs(current: str, query: str, address: Any) -> list[tuple[str, str, bool]]:
    """The pages of the office: (word, address, whether it is this one); the filters stay."""
    return [(_(word), address(name) + (f"?{query}" if query else ""), name == current) for name, word in TABS.items()]


TABS = {
    "office": gettext_noop("Time in stages"),
    "office_flow": gettext_noop("Throughput and funnel"),
    "office_people": gettext_noop("Reviewers and checks"),
    "office_forecast": gettext_noop("Forecast"),
}
