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


def format_days(value: float | None) -> str:
    """ "4.5", whole from ten on; a dash for nothing."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def build_stage_rows(figures_by_program: Mapping[str, list[StageFigures]]) -> list[StageRow]:
    """The lines of the table: the stages that anybody left, of the first (blank: all) and of each with enough."""
    shown_stages = {
        program: stages
        for n, (program, stages) in enumerate(figures_by_program.items())
        if not n or _has_figures(stages)
    }
    rows = [(program, figures) for program, stages in shown_stages.items() for figures in stages if figures.count]
    longest = max((figures.p90 or 0 for _, figures in rows), default=0) or 1
    return [_build_stage_row(PROGRAMS[p].name if p else _("All programs"), figures, longest) for p, figures in rows]


def _has_figures(stages: list[StageFigures]) -> bool:
    return any(figures.p50 is not None for figures in stages)


def list_sparse_programs(figures_by_program: Mapping[str, list[StageFigures]]) -> list[str]:
    """The programs of which too few went on for any figure of their own."""
    return [PROGRAMS[program].name for program, stages in figures_by_program.items() if not _has_figures(stages)]


def _build_stage_row(program: str, figures: StageFigures, longest: float) -> StageRow:
    has_percentiles = figures.p50 is not None and figures.p90 is not None
    pieces = (
        [("counted", figures.p50 or 0.0), ("paused", (figures.p90 or 0.0) - (figures.p50 or 0.0))]
        if has_percentiles
        else []
    )
    summary = _("%(middle)s at the middle, %(nine)s for nine of ten") % {
        "middle": format_days(figures.p50),
        "nine": format_days(figures.p90),
    }
    summary = summary if has_percentiles else _("too few to say (below %(enough)s)") % {"enough": metrics.MIN_STAYS}
    return StageRow(
        program, _(STAGE_NAMES[figures.stage]), figures.count, format_days(figures.p50), format_days(figures.p90),
        [(kind, amount) for kind, amount in pieces if amount], longest, summary,
    )  # fmt: skip


def build_distribution_charts(stages: Iterable[StageFigures]) -> list[Chart]:
    """How the stays of each stage spread over working days."""
    names = [*map(str, metrics.COLUMN_LIMITS_DAYS), _("more")]
    return [
        Chart(
            f"spread-{figures.stage}",
            _("%(stage)s: up to how many working days") % {"stage": _(STAGE_NAMES[figures.stage])},
            tuple(Column(name, n) for name, n in zip(names, figures.columns, strict=True)),
        )
        for figures in stages
    ]


@dataclass(frozen=True, slots=True)
class HolderShares:
    """Where the time of the stages went: the picture, the kinds that occur, and the table."""

    drawn: SafeString
    kinds: list[tuple[str, SafeString]]
    rows: list[tuple[str, list[str], str]]

    @property
    def is_empty(self) -> bool:
        return not self.rows


def build_holder_shares(times_by_stage: Mapping[str, Mapping[str, timedelta]]) -> HolderShares:
    """Stacked bars, one a stage."""
    nonempty_times = {stage: holders for stage, holders in times_by_stage.items() if holders}
    kinds = [holder for holder in metrics.HOLDERS if any(holder in holders for holders in nonempty_times.values())]
    bars = [
        stacked_bar.StackedBar(_(STAGE_NAMES[stage]), tuple((h, time / metrics.DAY) for h, time in holders.items()))
        for stage, holders in nonempty_times.items()
    ]
    rows = [
        (bar.name, [_format_cell(bar, kind) for kind in kinds], _("%(count)s days") % {"count": f"{bar.whole:.0f}"})
        for bar in bars
    ]  # fmt: skip
    names = {kind: _(name) for kind, name in HOLDER_NAMES.items()}
    picture = stacked_bar.render_stacked_bars("holders", _("Where the time of each stage went"), bars, names)
    return HolderShares(picture, [(names[k], stacked_bar.render_swatch("holders", k)) for k in kinds], rows)


def _format_cell(bar: stacked_bar.StackedBar, kind: str) -> str:
    amount = dict(bar.pieces).get(kind, 0.0)
    parameters = {"amount": f"{amount:.1f}", "share": stacked_bar.format_share(amount, bar.whole)}
    return _("%(amount)s d, %(share)s") % parameters if amount else "–"


def build_rounds_chart(counts: list[tuple[str, int]]) -> Chart:
    columns = tuple(Column(_(word), n) for word, n in counts)
    return Chart("rounds", _("Reviews by the rounds that they took"), columns)


def build_tabs(current: str, query: str, build_url: Any) -> list[tuple[str, str, bool]]:
    """The pages of the office: (word, address, whether it is this one); the filters stay."""
    return [(_(word), build_url(name) + (f"?{query}" if query else ""), name == current) for name, word in TABS.items()]


TABS = {
    "office": gettext_noop("Time in stages"),
    "office_flow": gettext_noop("Throughput and funnel"),
    "office_people": gettext_noop("Reviewers and checks"),
    "office_forecast": gettext_noop("Forecast"),
}
