"""SVG rendering of badges with system fonts, identical on light and dark pages.

A badge has its own background and border. Names that people entered are escaped, normalized, and shortened, and never
take the place of the status.
"""

from collections.abc import Callable
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from portal.directory.badges import payloads
from portal.directory.badges.glyph_widths import measure_text, truncate_text
from portal.directory.badges.status import BadgeStatus

FONT_FAMILIES = "Helvetica Neue,Helvetica,Arial,Liberation Sans,sans-serif"
INK_COLOR, PAPER_COLOR, EDGE_COLOR, QUIET_COLOR = "#1f2330", "#ffffff", "#8b909c", "#c9ccd4"
GOOD_COLOR, NEUTRAL_COLOR = (
    f"#{color}" for color in (payloads.GOOD_COLOR, payloads.NEUTRAL_COLOR)
)  # white text has a contrast of at least 6:1 on both
MARK_PATHS = "M2 4a2 2 0 0 1 2-2h8v6a4 4 0 0 1-4 4H2z", "M18 16a2 2 0 0 1-2 2H8v-4.1a6 6 0 0 0 5.9-5.9H18z"
TICK_PATH, DASH_PATH = "m4 8.2 2.6 2.6L12 5.4", "M4 8h8"


def render_flat(badge_status: BadgeStatus, day: date) -> str:
    """Return a badge of 20 pixels with the program and the tier or status."""
    size, padding, mark_width = 11.0, 7.0, 16.0
    label, status_text = badge_status.program, badge_status.label
    split_x = round(padding + mark_width + 4 + measure_text(label, size) + padding, 1)
    total_width = round(split_x + padding + 15 + measure_text(status_text, size, bold=True) + padding, 1)
    return _build_svg(
        badge_status,
        day,
        total_width,
        20,
        f'<clipPath id="r"><rect width="{total_width:g}" height="20" rx="4"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{total_width:g}" height="20" fill="{INK_COLOR}"/>'
        f'<rect x="{split_x:g}" width="{total_width - split_x:g}" height="20" fill="{_get_fill_color(badge_status)}"/>'
        "</g>"
        f'<rect x=".5" y=".5" width="{total_width - 1:g}" height="19" rx="3.5" fill="none" stroke="{EDGE_COLOR}"/>'
        f"{_build_mark(padding, 3, 0.7)}{_build_text(label, padding + mark_width + 4, 14, size)}"
        f"{_build_status_icon(badge_status, split_x + padding - 2, 2)}"
        f"{_build_text(status_text, split_x + padding + 15, 14, size, bold=True)}",
    )


def render_large(badge_status: BadgeStatus, day: date) -> str:
    """Return a badge of 72 pixels with the integration, the partner, the program, the status, and the date."""
    name = truncate_text(badge_status.integration, 15, 240, bold=True)
    partner_text = truncate_text(f"by {badge_status.partner}", 12, 240)
    footer = f"{badge_status.program} program · {_format_date(day)}"
    text_width = max(measure_text(name, 15, bold=True), measure_text(partner_text, 12), measure_text(footer, 11))
    status_width = round(measure_text(badge_status.label, 13, bold=True) + 44, 1)
    split_x = round(52 + text_width + 16, 1)
    total_width = round(split_x + status_width, 1)
    return _build_svg(
        badge_status,
        day,
        total_width,
        72,
        f'<clipPath id="r"><rect width="{total_width:g}" height="72" rx="8"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{total_width:g}" height="72" fill="{INK_COLOR}"/>'
        f'<rect x="{split_x:g}" width="{status_width:g}" height="72" fill="{_get_fill_color(badge_status)}"/></g>'
        f'<rect x=".5" y=".5" width="{total_width - 1:g}" height="71" rx="7.5" fill="none" stroke="{EDGE_COLOR}"/>'
        f"{_build_mark(16, 24, 1.2)}{_build_text(name, 52, 27, 15, bold=True)}"
        f"{_build_text(partner_text, 52, 44, 12, fill=QUIET_COLOR)}"
        f"{_build_text(footer, 52, 60, 11, fill=QUIET_COLOR)}"
        f"{_build_status_icon(badge_status, split_x + 11, 28)}"
        f"{_build_text(badge_status.label, split_x + 30, 40.5, 13, bold=True)}",
    )


RENDERERS_BY_STYLE: dict[str, Callable[[BadgeStatus, date], str]] = {"flat": render_flat, "large": render_large}


def build_title(badge_status: BadgeStatus, day: date) -> str:
    """Return the text alternative of a badge."""
    return f"{badge_status.sentence}, on {_format_date(day)}"


def escape_xml_text(text: str) -> str:
    """Return escaped XML text without characters that XML does not allow."""
    return escape(
        "".join(character for character in text if character >= " " and not 0xD800 <= ord(character) <= 0xDFFF)
    )


def _build_svg(badge_status: BadgeStatus, day: date, width_px: float, height_px: int, content: str) -> str:
    escaped_title = escape_xml_text(build_title(badge_status, day))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px:g}" height="{height_px}" viewBox="0 0 {width_px:g} '
        f'{height_px}" '
        f'role="img" aria-labelledby="t"><title id="t">{escaped_title}</title>{content}</svg>'
    )


def _get_fill_color(badge_status: BadgeStatus) -> str:
    return GOOD_COLOR if badge_status.is_good else NEUTRAL_COLOR


def _build_text(text: str, x: float, y: float, size: float, *, bold: bool = False, fill: str = PAPER_COLOR) -> str:
    """Return a line of text with its measured length, whatever font renders it."""
    if not text:
        return ""
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-family={quoteattr(FONT_FAMILIES)} font-size="{size:g}"{weight} fill="{fill}" '
        f'textLength="{measure_text(text, size, bold=bold):g}" lengthAdjust="spacingAndGlyphs">{escape_xml_text(text)}'
        "</text>"
    )


def _build_mark(x: float, y: float, scale: float) -> str:
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})"><path fill="{PAPER_COLOR}" d="{MARK_PATHS[0]}"/>'
        f'<path fill="{EDGE_COLOR}" d="{MARK_PATHS[1]}"/></g>'
    )


def _build_status_icon(badge_status: BadgeStatus, x: float, y: float) -> str:
    """Return a check mark if listed, or else a dash, so that the status does not depend on color."""
    return (
        f'<path transform="translate({x:g} {y:g})" d="{TICK_PATH if badge_status.is_good else DASH_PATH}" fill="none" '
        f'stroke="{PAPER_COLOR}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _format_date(day: date) -> str:
    return f"{day:%b} {day.day}, {day.year}"  # in English, as the whole badge
