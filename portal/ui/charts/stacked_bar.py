"""Stacked bars as SVG with a pattern for each kind, so that they do not depend on color."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

WIDTH = 560
ROW_HEIGHT = 40
LEFT_MARGIN = 92
BAR_WIDTH = 460
LETTER_WIDTH = 6.6  # approximate width of a label character
# pattern path of each kind in an 8 by 8 tile
PATTERNS = {
    "partner": "",
    "program": "M0 8L8 0M-2 2L2 -2M6 10L10 6",
    "portal": "M4 3V5",
    "outage": "M0 0L8 8M0 8L8 0",
    "third_party": "M0 4H8",
}


@dataclass(frozen=True, slots=True)
class StackedBar:
    """One row: its name, and its pieces as (kind, amount) in the order of the kinds."""

    name: str
    pieces: tuple[tuple[str, float], ...]

    @property
    def whole(self) -> float:
        return sum(amount for _, amount in self.pieces)


def format_share(amount: float, whole: float) -> str:
    """Return a percentage such as "64%", or "under 1%" if a positive amount rounds to zero."""
    part = 100 * amount / whole if whole else 0
    return f"{part:.0f}%" if part >= 1 or not amount else _("under 1%")


def render_stacked_bars(id: str, title: str, bars: Sequence[StackedBar], names: Mapping[str, str]) -> SafeString:
    """Render bars of the same length, each cut by the shares of its kinds, which have `names`."""
    pieces_by_bar = [_place_pieces(bar, names) for bar in bars]
    descriptions = [", ".join(str(piece["label"]) for piece in pieces) or _("nothing") for pieces in pieces_by_bar]
    context = {
        "id": id,
        "title": title,
        "description": ". ".join(f"{bar.name}: {text}" for bar, text in zip(bars, descriptions, strict=True)),
        "width": WIDTH,
        "height": ROW_HEIGHT * len(bars) + 4,
        "left": LEFT_MARGIN,
        "bar_width": BAR_WIDTH,
        "rows": [(bar.name, place * ROW_HEIGHT + 6, pieces_by_bar[place]) for place, bar in enumerate(bars)],
        "kinds": [(kind, PATTERNS[kind]) for kind in names if any(kind in dict(bar.pieces) for bar in bars)],
    }
    return render_to_string("ui/charts/stacked_bars.svg", context)


def _place_pieces(bar: StackedBar, names: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the pieces with their coordinates and those of their labels, which show only if they fit."""
    x = 0.0
    pieces = []
    for kind, amount in bar.pieces:
        label = f"{names[kind]} {format_share(amount, bar.whole)}"
        width = BAR_WIDTH * amount / bar.whole if bar.whole else 0
        background = len(label) * LETTER_WIDTH + 8
        numbers = {"x": x, "width": width, "background": background, "background_x": x + (width - background) / 2}
        texts = {"kind": kind, "label": label, "is_labeled": width >= background + 6, "middle": round(x + width / 2, 1)}
        pieces.append(texts | {name: round(number, 1) for name, number in numbers.items()})
        x += width
    return pieces


def render_swatch(id: str, kind: str) -> SafeString:
    """Render a small pattern sample for the legend."""
    return render_to_string("ui/charts/swatch.svg", {"id": f"{id}-s", "kind": kind, "path": PATTERNS[kind]})
