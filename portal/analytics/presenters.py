"""Rows and charts of analytics pages."""

from collections.abc import Iterable, Mapping
from datetime import timedelta

from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models.choices import STATE_LABELS
from portal.analytics import metrics
from portal.analytics.metrics import StageFigures
from portal.core.value_types import TemplateContext
from portal.ui.charts import stacked_bar
from portal.ui.charts.columns import Chart, Column

RESPONSIBLE_PARTY_NAMES = {
    "partner": gettext_noop("Partner"),
    "program": gettext_noop("Program"),
    "machine": gettext_noop("Portal"),
    "outage": gettext_noop("Outage"),
    "third_party": gettext_noop("Others"),
}


def format_days(value: float | None) -> str:
    """Format days with one decimal, without decimals from ten, or as a dash for None."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def build_stage_rows(figures_by_program: Mapping[str, list[StageFigures]]) -> list[TemplateContext]:
    """Return rows of stages with exits, for the first program and each other program with enough data."""
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
    """Return the programs without enough data for figures."""
    return [PROGRAMS[program].name for program, stages in figures_by_program.items() if not _has_figures(stages)]


def _build_stage_row(program: str, figures: StageFigures, longest: float) -> TemplateContext:
    """Return a row with a meter of the median and the 90th percentile, if there is enough data."""
    p50, p90 = format_days(figures.p50), format_days(figures.p90)
    if figures.p50 is None or figures.p90 is None:
        pieces, summary = [], _("Not enough data (fewer than %(minimum)s)") % {"minimum": metrics.MIN_STAYS}
    else:
        pieces = [("counted", figures.p50), ("paused", figures.p90 - figures.p50)]
        summary = _("Median %(median)s · 90%% within %(p90)s") % {"median": p50, "p90": p90}
    row: TemplateContext = {"program": program, "stage": _(STATE_LABELS[figures.stage]), "count": figures.count}
    return row | {"p50": p50, "p90": p90, "pieces": pieces, "total": longest, "summary": summary}


def build_distribution_charts(stages: Iterable[StageFigures]) -> list[Chart]:
    """Build a chart of each stage with the distribution of stays over working days."""
    names = [*map(str, metrics.COLUMN_LIMITS_DAYS), _("more")]
    return [
        Chart(
            f"spread-{figures.stage}",
            _("%(stage)s: working days, up to") % {"stage": _(STATE_LABELS[figures.stage])},
            tuple(Column(name, n) for name, n in zip(names, figures.columns, strict=True)),
        )
        for figures in stages
    ]


def build_responsible_party_shares(times_by_stage: Mapping[str, Mapping[str, timedelta]]) -> TemplateContext:
    """Build the time by stage and responsible party: stacked bars, one per stage, their legend, and a table."""
    nonempty_times = {stage: times for stage, times in times_by_stage.items() if times}
    parties = [
        party for party in metrics.RESPONSIBLE_PARTIES if any(party in times for times in nonempty_times.values())
    ]
    bars = [
        stacked_bar.StackedBar(
            _(STATE_LABELS[stage]), tuple((party, time / metrics.DAY) for party, time in times.items())
        )
        for stage, times in nonempty_times.items()
    ]
    rows = [(bar.name, [_format_cell(bar, party) for party in parties], _format_whole_days(bar.whole)) for bar in bars]
    names = {party: _(name) for party, name in RESPONSIBLE_PARTY_NAMES.items()}
    chart = stacked_bar.render_stacked_bars(
        "responsible-parties", _("Time by stage and responsible party"), bars, names
    )
    swatches = [(names[party], stacked_bar.render_swatch("responsible-parties", party)) for party in parties]
    return {"chart": chart, "swatches": swatches, "rows": rows, "has_outages": "outage" in parties}


def _format_whole_days(days: float) -> str:
    return ngettext("%(count)s day", "%(count)s days", round(days)) % {"count": round(days)}


def _format_cell(bar: stacked_bar.StackedBar, kind: str) -> str:
    amount = dict(bar.pieces).get(kind, 0.0)
    parameters = {"amount": f"{amount:.1f}", "share": stacked_bar.format_share(amount, bar.whole)}
    return _("%(amount)s d, %(share)s") % parameters if amount else "–"


def build_rounds_chart(counts: list[tuple[str, int]]) -> Chart:
    columns = tuple(Column(_(label), n) for label, n in counts)
    return Chart("rounds", _("Reviews by number of rounds"), columns)
