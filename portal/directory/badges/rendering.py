"""SVG rendering of badges with system fonts, identical on light and dark pages.

A badge has its own background and border. Names that people entered are escaped, normalized, and shortened, and never
take the place of the status.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from portal.directory.badges import payloads
from portal.directory.badges.glyph_widths import measure_text, truncate_text
from portal.directory.badges.status import BadgeStatus

INK_COLOR = "#1f2330"
PAPER_COLOR = "#ffffff"
EDGE_COLOR = "#8b909c"
QUIET_COLOR = "#c9ccd4"
GOOD_COLOR, NEUTRAL_COLOR = (
    f"#{color}" for color in (payloads.GOOD_COLOR, payloads.NEUTRAL_COLOR)
)  # white text has a contrast of at least 6:1 on both
TICK_PATH = "m4 8.2 2.6 2.6L12 5.4"
DASH_PATH = "M4 8h8"


@dataclass(frozen=True, slots=True)
class BadgeText:
    """Line of text, which is as long in any font that renders it."""

    text: str
    x: float
    y: float
    size: float
    is_bold: bool = False
    color: str = PAPER_COLOR

    @property
    def width(self) -> float:
        return measure_text(self.text, self.size, bold=self.is_bold)

    @property
    def end(self) -> float:
        return self.x + self.width


def render_flat(badge_status: BadgeStatus, day: date) -> SafeString:
    """Return a badge of 20 pixels with the program and the tier or status."""
    label = BadgeText(badge_status.title, 27, 14, 11)
    split = round(label.end + 7, 1)
    text = BadgeText(badge_status.label, round(split + 22, 1), 14, 11, is_bold=True)
    size = {"split": split, "width": round(text.end + 7, 1), "height": 20, "radius": 4}
    marks = {"mark": "translate(7 3) scale(.7)", "icon": f"translate({split + 5:g} 2)"}
    return _render_svg(badge_status, day, size | marks | {"texts": (label, text)})


def render_large(badge_status: BadgeStatus, day: date) -> SafeString:
    """Return a badge of 72 pixels with the integration, the partner, the program, the status, and the date.

    It is taller with a line of support times.
    """
    footer = f"{badge_status.program} program · {_format_date(day)}"
    texts = (
        BadgeText(truncate_text(badge_status.integration, 15, 240, bold=True), 52, 27, 15, is_bold=True),
        BadgeText(truncate_text(f"by {badge_status.partner}", 12, 240), 52, 44, 12, color=QUIET_COLOR),
        BadgeText(footer, 52, 60, 11, color=QUIET_COLOR),
        *([BadgeText(badge_status.support, 52, 76, 11, color=QUIET_COLOR)] if badge_status.support else []),
    )
    height = 88 if badge_status.support else 72
    split = round(max(text.end for text in texts) + 16, 1)
    text = BadgeText(badge_status.label, round(split + 30, 1), height / 2 + 4.5, 13, is_bold=True)
    size = {"split": split, "width": round(text.end + 14, 1), "height": height, "radius": 8}
    marks = {
        "mark": f"translate(16 {height / 2 - 12:g}) scale(1.2)",
        "icon": f"translate({split + 11:g} {height / 2 - 8:g})",
    }
    return _render_svg(badge_status, day, size | marks | {"texts": (*texts, text)})


RENDERERS_BY_STYLE: dict[str, Callable[[BadgeStatus, date], SafeString]] = {"flat": render_flat, "large": render_large}


def _render_svg(badge_status: BadgeStatus, day: date, layout: Mapping[str, object]) -> SafeString:
    """Return the image with a check mark if listed, or else a dash, so that the status does not depend on color."""
    status_color, icon_path = (GOOD_COLOR, TICK_PATH) if badge_status.is_good else (NEUTRAL_COLOR, DASH_PATH)
    context = {
        **layout,
        "title": f"{badge_status.alternative_text}, on {_format_date(day)}",
        "colors": {"ink": INK_COLOR, "paper": PAPER_COLOR, "edge": EDGE_COLOR, "status": status_color},
        "icon_path": icon_path,
    }
    return render_to_string("directory/badges/badge.svg", context)


def _format_date(day: date) -> str:
    return f"{day:%b} {day.day}, {day.year}"  # in English, as the whole badge
