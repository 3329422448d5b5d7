"""Stacked bars as SVG with a pattern for each kind, so that they do not depend on color."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

WIDTH, ROW_HEIGHT, BAR_HEIGHT, LEFT_MARGIN, RIGHT_MARGIN = 560, 40, 22, 92, 8
LETTER_WIDTH = 6.6  # approximate width of a label character


@dataclass(frozen=True, slots=True)
class StackedBar:
    """One row: its name and its pieces as (kind, amount), in the order of the kinds; `said`: the amount in words."""

    name: str
    pieces: tuple[tuple[str, float], ...]
    said: str = ""

    @property
    def whole(self) -> float:
        return sum(amount for _, amount in self.pieces)


def format_share(amount: float, whole: float) -> str:
    """Return a percentage such as "64%", or "under 1%" if a positive amount rounds to zero."""
    part = 100 * amount / whole if whole else 0
    return f"{part:.0f}%" if part >= 1 or not amount else _("under 1%")


def render_stacked_bars(id: str, title: str, bars: Sequence[StackedBar], names: Mapping[str, str]) -> SafeString:
    """All bars of the same length, each cut by the shares of its kinds. `names`: what each kind is called."""
    height = ROW_HEIGHT * len(bars) + 4
    description = ". ".join(f"{bar.name}: {_describe_bar(bar, names)}" for bar in bars)
    kinds = [kind for kind in names if any(kind == each for bar in bars for each, _ in bar.pieces)]
    return format_html(
        '<svg class="chart shares" role="img" viewBox="0 0 {} {}" aria-labelledby="{}-t {}-d">'
        '<title id="{}-t">{}</title><desc id="{}-d">{}</desc><defs>{}</defs>{}</svg>',
        WIDTH,
        height,
        id,
        id,
        id,
        title,
        id,
        description,
        format_html_join("", "{}", ((render_pattern(id, kind),) for kind in kinds)),
        format_html_join("", "{}", ((_render_bar(id, n, bar, names),) for n, bar in enumerate(bars))),
    )


def _describe_bar(bar: StackedBar, names: Mapping[str, str]) -> str:
    return ", ".join(f"{names[kind]} {format_share(amount, bar.whole)}" for kind, amount in bar.pieces) or _("nothing")


# pattern path of each kind in an 8 by 8 tile
PATTERNS = {
    "partner": "",
    "program": "M0 8L8 0M-2 2L2 -2M6 10L10 6",
    "machine": "M4 3V5",
    "outage": "M0 0L8 8M0 8L8 0",
    "third_party": "M0 4H8",
}


def render_pattern(id: str, kind: str) -> SafeString:
    return format_html(
        '<pattern id="{}-{}" width="8" height="8" patternUnits="userSpaceOnUse">'
        '<rect class="share-{}" width="8" height="8"/><path class="share-mark" d="{}"/></pattern>',
        id,
        kind,
        kind,
        PATTERNS[kind],
    )


def _render_bar(id: str, place: int, bar: StackedBar, names: Mapping[str, str]) -> SafeString:
    y, total_width, x, parts = place * ROW_HEIGHT + 6, WIDTH - LEFT_MARGIN - RIGHT_MARGIN, float(LEFT_MARGIN), []
    for kind, amount in bar.pieces:
        width = total_width * amount / bar.whole if bar.whole else 0
        parts.append(_render_piece(id, kind, x, y, width, f"{names[kind]} {format_share(amount, bar.whole)}"))
        x += width
    return format_html(
        '<g><text class="share-name" x="{}" y="{}">{}</text>'
        '<rect class="share-rest" x="{}" y="{}" width="{}" height="{}"/>{}</g>',
        LEFT_MARGIN - 8,
        y + BAR_HEIGHT / 2 + 4,
        bar.name,
        LEFT_MARGIN,
        y,
        total_width,
        BAR_HEIGHT,
        format_html_join("", "{}", ((p,) for p in parts)),
    )


def _render_piece(id: str, kind: str, x: float, y: float, width: float, words: str) -> SafeString:
    """Render a segment with its label if the label fits."""
    rect = format_html(
        '<rect class="share-edge" x="{}" y="{}" width="{}" height="{}" fill="url(#{}-{})"><title>{}</title></rect>',
        f"{x:.1f}",
        y,
        f"{width:.1f}",
        BAR_HEIGHT,
        id,
        kind,
        words,
    )
    ground = len(words) * LETTER_WIDTH + 8
    if width < ground + 6:
        return rect
    middle = x + width / 2
    return rect + format_html(
        '<rect class="share-ground" x="{}" y="{}" width="{}" height="16" rx="3"/>'
        '<text class="share-word" x="{}" y="{}">{}</text>',
        f"{middle - ground / 2:.1f}",
        y + 3,
        f"{ground:.1f}",
        f"{middle:.1f}",
        y + BAR_HEIGHT / 2 + 4,
        words,
    )


def render_swatch(id: str, kind: str) -> SafeString:
    """Render a small pattern sample for the legend."""
    return format_html(
        '<svg class="swatch" width="18" height="14" aria-hidden="true"><defs>{}</defs>'
        '<rect class="share-edge" width="18" height="14" fill="url(#{}-{})"/></svg>',
        render_pattern(f"{id}-s", kind),
        f"{id}-s",
        kind,
    )
