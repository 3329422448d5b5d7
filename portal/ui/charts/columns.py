"""Column charts as SVG with a title and a description for screen readers.

Late values are hatched, so that the chart does not depend on color. Pages show a table with the same values.
"""

from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

WIDTH = 400
PLOT_HEIGHT = 96  # of the columns
FOOTER_HEIGHT = 28  # of the labels below them


@dataclass(frozen=True, slots=True)
class Column:
    """One column: a count, with the late ones stacked above it.

    `data_incomplete`: what was unknown at the end of the period. `before`: the count in the same place of the previous
    period, or None without a comparison.
    """

    label: str
    count: int
    late: int = 0
    data_incomplete: str = ""
    before: int | None = None

    @property
    def whole(self) -> int:
        return self.count + self.late

    @property
    def description(self) -> str:
        parts = [intcomma(self.count)]
        if self.late:
            parts.append(_("%(late)s late") % {"late": intcomma(self.late)})
        if self.before is not None:
            parts.append(_("previous period %(before)s") % {"before": intcomma(self.before)})
        return f"{self.label}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Chart:
    """Column chart. `target_after` is the number of columns before the target line, or -1 without a line."""

    id: str
    title: str
    columns: tuple[Column, ...]
    target_after: int = -1
    target: str = ""

    @property
    def baseline(self) -> int:
        """Return the y coordinate of the baseline, below the space for values and the target label."""
        return PLOT_HEIGHT + (26 if self.target_after < 0 else 42)

    @property
    def is_empty(self) -> bool:
        return not any(column.whole for column in self.columns)

    @property
    def has_comparison(self) -> bool:
        """Return whether the chart shows the previous period."""
        return any(column.before for column in self.columns)

    @property
    def svg(self) -> SafeString:
        """Return the chart as SVG."""
        step = WIDTH / len(self.columns)
        max_value = max([max(column.whole, column.before or 0) for column in self.columns] + [1])
        context = {
            "chart": self,
            "width": WIDTH,
            "height": self.baseline + FOOTER_HEIGHT,
            "description": "; ".join(column.description for column in self.columns),
            "columns": [self._place_column(place, step, max_value) for place in range(len(self.columns))],
            "target_x": round(self.target_after * step, 1),
            "target_label_x": round(self.target_after * step - 6, 1),
        }
        return render_to_string("ui/charts/columns.svg", context)

    def _place_column(self, place: int, step: float, max_value: int) -> dict[str, object]:
        """Return a column with its coordinates. The column of the previous period is wider."""
        column = self.columns[place]
        x = place * step
        unit = PLOT_HEIGHT / max_value
        count_top = self.baseline - unit * column.count
        before_height = unit * (column.before or 0)
        late_top = count_top - unit * column.late
        numbers = {
            "x": x + step * 0.18,
            "width": step * 0.64,
            "middle": x + step / 2,
            "count_top": count_top,
            "count_height": unit * column.count,
            "late_top": late_top,
            "late_height": unit * column.late,
            "value_y": late_top - 5,
            "before_x": x + step * 0.06,
            "before_top": self.baseline - before_height,
            "before_width": step * 0.88,
            "before_height": before_height,
        }
        return {"column": column} | {name: round(number, 1) for name, number in numbers.items()}
