"""Sample data for the style guide: listings, charts, and clocks."""

import re
from datetime import datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

from django.utils.safestring import SafeString

from portal.analytics import presenters
from portal.analytics.metrics import StageFigures
from portal.core.business_time import Calendar
from portal.directory.badges import rendering
from portal.directory.badges.status import BadgeStatus
from portal.directory.facets import FacetOption
from portal.status.selectors import StatusLine
from portal.ui.charts import calendar_strip, stacked_bar
from portal.ui.charts.columns import Chart, Column

EMPTY_UUID = UUID(int=0)
WEEKS = ((4, 0), (6, 1), (5, 0), (7, 2), (3, 0), (8, 1), (9, 0), (6, 0))
PREVIOUS_WEEKS = (3, 5, 6, 4, 5, 6, 7, 8)
HOLDERS = {"partner": "partner", "program": "program", "machine": "machine"}
STAGE_BARS = (
    stacked_bar.StackedBar("Prepare", (("partner", 9.0), ("machine", 1.0))),
    stacked_bar.StackedBar("Review", (("partner", 3.5), ("program", 6.0), ("machine", 0.5))),
)
IDS = re.compile(r"(\"|#)([tr])(?=[\")])")
STANDINGS = ("listed", "suspended", "delisted", "community", "ended")


def build_charts() -> dict[str, object]:
    """Return a sample of each chart type."""
    weeks = tuple(
        Column(f"W{n + 1}", on_time, late, before=before)
        for n, ((on_time, late), before) in enumerate(zip(WEEKS, PREVIOUS_WEEKS, strict=True))
    )
    (spread,) = presenters.build_distribution_charts([StageFigures("review", 40, 3.0, 8.0, (4, 9, 12, 8, 4, 2, 1))])
    lengths = tuple(
        Column(name, *row)
        for name, row in zip(
            ("12 h", "24 h", "36 h", "48 h", "longer"), ((9, 0), (6, 0), (3, 0), (2, 0), (0, 2)), strict=True
        )
    )
    return {
        "columns": Chart("guide-weeks", "SLA targets met and breached by week", weeks),
        "target": Chart("guide-target", "First response, critical", lengths, 4, "48 h"),
        "spread": spread,
        "stacked": stacked_bar.render_stacked_bars(
            "guide-shares", "Time per stage by responsible party", STAGE_BARS, HOLDERS
        ),
        "swatches": [(HOLDERS[kind], stacked_bar.render_swatch("guide-shares", kind)) for kind in HOLDERS],
    }


def build_clock(now: datetime, pieces: list[tuple[str, float]]) -> dict[str, object]:
    """Return a sample SLA clock."""
    start, due = now - timedelta(days=4), now + timedelta(days=1)
    days = calendar_strip.build_cells(Calendar(), start, due, {"start": start, "now": now, "due": due})
    return {
        "clock": {"is_committed": True, "due_at": due},
        "target_type": "Resolution",
        "pieces": pieces,
        "usage": {"summary": "36 of 48 hours used"},
        "summary": "36 of 48 hours used. The clock is running.",
        "strip": calendar_strip.render_strip(days, "Days, in UTC"),
    }


def build_listing(name: str, listing_status: str, **fields: object) -> SimpleNamespace:
    """Return a sample listing."""
    common = {
        "uuid": EMPTY_UUID,
        "has_logo": False,
        "publisher": "Acme",
        "product": "Terraform",
        "share": 97.0,
        "category_name": "Networking",
        "summary": "Launches and lands rockets.",
        "tier_name": "Premier",
        "version": "1.4.2",
        "settled": 31,
    }
    return SimpleNamespace(**(common | fields), name=name, listing_status=listing_status)


def build_directory(now: datetime) -> dict[str, object]:
    """Return sample listings, filters, and a reply."""
    products = [
        (FacetOption("nomad", "Nomad", 12, False), "#directory"),
        (FacetOption("vault", "Vault", 7, True), "#directory"),
    ]
    rows = [
        build_listing("Rocket provider", "listed"),
        build_listing("Booster", "suspended", publisher="Globex", settled=0),
    ]
    filters = {"q": "rocket", "get_parameters": {}, "sorts": [("", "Newest first", True), ("name", "By name", False)]}
    card = {
        "name": "Initech",
        "slug": "initech",
        "summaries": ["Scans each plan before it is applied."],
        "logo": build_listing("", "listed", publisher="Initech"),
        "listings": [build_listing("Plan scan", "listed")],
    }
    change = {"at": now - timedelta(days=2), "listing": rows[1], "summary": "Suspended."}
    return {
        "listings": rows,
        "standings": [build_listing(each, each) for each in STANDINGS],
        "filters": filters,
        "count": 2,
        "groups": [{"title": "Product", "name": "product", "open": True, "options": products}],
        "filter_count": 1,
        "card": card,
        "min_sample_size": 5,
        "changes": [change],
        "with_names": True,
        "reply": {"at": now - timedelta(days=9), "text": "Two people are on call now."},
    }


def build_badges(now: datetime) -> list[SafeString]:
    """Return sample badges with unique IDs."""
    truths = [
        BadgeStatus(
            str(EMPTY_UUID),
            "Rocket",
            "Acme",
            "Terraform provider",
            "",
            "",
            tier,
            "",
            listing_status,
            status_text,
            "",
            now,
            now,
            "",
        )
        for tier, listing_status, status_text in (("Premier", "listed", "Listed"), ("", "suspended", "Suspended"))
    ]
    images = [rendering.render_flat(truth, now.date()) for truth in truths] + [
        rendering.render_large(truths[0], now.date())
    ]
    return [SafeString(IDS.sub(rf"\1badge{n}-\2", svg)) for n, svg in enumerate(images)]


def build_analytics(now: datetime) -> dict[str, object]:
    """Return a sample forecast and saved views."""
    estimate = {
        "sentence": "Median 3 business days · 90% within 8 business days.",
        "middle": now + timedelta(days=2),
        "latest": now + timedelta(days=7),
    }
    views = [
        {"name": "Mine, due this week", "href": "#views", "current": True, "shared": False},
        {"name": "Waiting for GitHub", "href": "#views", "current": False, "shared": True},
    ]
    return {
        "estimate": estimate,
        "turn": {"responsible_since": now - timedelta(days=1)},
        "sentences": ["Nomad: Median 2 business days · 90% within 6 business days."],
        "views": views,
        "files": [("CSV", "#views"), ("XLSX", "#views")],
    }


def build_status_lines(now: datetime) -> list[StatusLine]:
    """Return sample status lines."""
    return [
        StatusLine("Registry", "ok", "The registry is responding.", at=now - timedelta(minutes=4)),
        StatusLine("GitHub", "late", "We reached GitHub's rate limit."),
        StatusLine("Emails", "down", "No emails were sent in the last hour."),
    ]


def build_samples(now: datetime, pieces: list[tuple[str, float]]) -> dict[str, object]:
    """Return all samples by their names in the templates."""
    return {
        "charts": build_charts(),
        "panel": build_clock(now, pieces),
        "badges": build_badges(now),
        "lines": build_status_lines(now),
        **build_directory(now),
        **build_analytics(now),
    }
