"""Values that the style guide shows, from data/samples.yaml, with times relative to now."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import yaml
from django.core.paginator import Paginator
from django.utils.safestring import SafeString

from portal.analytics import presenters
from portal.analytics.metrics import StageFigures
from portal.core.business_time import Calendar
from portal.core.value_types import JsonObject, NamedValues, TemplateContext
from portal.directory.badges import rendering
from portal.directory.badges.status import BadgeStatus
from portal.ui.charts import calendar_strip, stacked_bar
from portal.ui.charts.columns import Chart, Column
from portal.ui.components.filters import ActiveFilter, FilterSummary
from portal.ui.components.inline import BUTTON_TONES, OUTCOMES
from portal.ui.components.markup import TONES

SAMPLES = (Path(__file__).with_name("data") / "samples.yaml").read_text("utf-8")
RESPONSIBLE_PARTIES = {"partner": "partner", "program": "program", "portal": "portal"}
IDS = re.compile(r"(\"|#)([tr])(?=[\")])")


class SampleLoader(yaml.CSafeLoader):
    """Safe loader of values with times relative to now and with objects."""

    now: datetime

    def build_time(self, node: yaml.MappingNode) -> datetime:
        return self.now + timedelta(**self.build_named_values(node))

    def build_object(self, node: yaml.MappingNode) -> SimpleNamespace:
        return SimpleNamespace(**self.build_named_values(node))

    def build_named_values(self, node: yaml.MappingNode) -> NamedValues:
        return {str(name): value for name, value in self.construct_mapping(node).items()}


SampleLoader.add_constructor("!time", SampleLoader.build_time)
SampleLoader.add_constructor("!object", SampleLoader.build_object)


def load_samples(now: datetime) -> JsonObject:
    """Return the values of samples.yaml."""
    loader = SampleLoader(SAMPLES)
    loader.now = now
    return loader.get_single_data()


def build_context(now: datetime) -> TemplateContext:
    """Return all values by their names in the templates."""
    samples = load_samples(now)
    return samples | {
        "tones": TONES,
        "outcomes": list(OUTCOMES),
        "button_tones": BUTTON_TONES,
        "page": Paginator(range(117), 50).page(2),
        "active_filters": FilterSummary((ActiveFilter(("program",), "Program", "Nomad"),), has_errors=False),
        "charts": build_charts(samples),
        "panel": build_clock(samples),
        "badges": build_badges(samples, now),
    }


def build_charts(samples: JsonObject) -> dict[str, object]:
    """Return a sample of each chart type."""
    weeks = tuple(
        Column(f"W{number}", on_time, late, before=before)
        for number, (on_time, late, before) in enumerate(samples["weeks"], 1)
    )
    lengths = tuple(Column(*row) for row in samples["lengths"])
    figures = StageFigures("review", 40, 3.0, 8.0, tuple(samples["distribution"]))
    bars = [stacked_bar.StackedBar(name, tuple(pieces.items())) for name, pieces in samples["bars"].items()]
    title = "Time per stage by responsible party"
    return {
        "columns": Chart("guide-weeks", "SLA targets met and breached by week", weeks),
        "target": Chart("guide-target", "First response, critical", lengths, 4, "48 h"),
        "spread": presenters.build_distribution_charts([figures])[0],
        "stacked": stacked_bar.render_stacked_bars("guide-shares", title, bars, RESPONSIBLE_PARTIES),
        "swatches": [
            (RESPONSIBLE_PARTIES[kind], stacked_bar.render_swatch("guide-shares", kind)) for kind in RESPONSIBLE_PARTIES
        ],
    }


def build_clock(samples: JsonObject) -> dict[str, object]:
    """Return a sample SLA clock."""
    marks = samples["clock"]
    days = calendar_strip.build_cells(Calendar(), marks["start"], marks["due"], marks)
    return {
        "clock": {"is_committed": True, "due_at": marks["due"]},
        "target_type": "Resolution",
        "pieces": samples["used"],
        "usage": {"summary": "36 of 48 hours used"},
        "summary": "36 of 48 hours used. The clock is running.",
        "strip": calendar_strip.render_strip(days, "Days, in UTC"),
    }


def build_badges(samples: JsonObject, now: datetime) -> list[SafeString]:
    """Return sample badges with unique IDs."""
    statuses = [BadgeStatus(**fields) for fields in samples["badges"]]
    images = [rendering.render_flat(status, now.date()) for status in statuses]
    images.append(rendering.render_large(statuses[0], now.date()))
    return [SafeString(IDS.sub(rf"\1badge{number}-\2", svg)) for number, svg in enumerate(images)]
