"""Column charts as SVG with a title and a description for screen readers.

Late values are hatched, so that the chart does not depend on color. Pages show a table with the same values.
"""

from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

WIDTH, PLOT_HEIGHT, FOOTER_HEIGHT = 400, 96, 28  # chart, columns, and labels below them


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
    def words(self) -> str:
        late = _(" and %(late)s late") % {"late": self.late} if self.late else ""
        return f"{self.label}: {self.count}{late}" + (
            "" if self.before is None else _(", before %(before)s") % {"before": self.before}
        )


@dataclass(frozen=True, slots=True)
class Chart:
    """Column chart. `target_after` is the number of columns before the target line, or -1 without a line."""

    id: str
    title: str
    columns: tuple[Column, ...]
    target_after: int = -1
    target: str = ""

    @property
    def floor(self) -> int:
        """Return the y coordinate of the baseline, below the room for values and the target label."""
        return PLOT_HEIGHT + (26 if self.target_after < 0 else 42)

    @property
    def is_empty(self) -> bool:
        return not any(column.whole for column in self.columns)

    @property
    def compares(self) -> bool:
        """Return whether the chart shows the previous period."""
        return any(column.before for column in self.columns)

    @property
    def drawn(self) -> SafeString:
        return render_chart(self)


def render_chart(chart: Chart) -> SafeString:
    """Render the chart as SVG."""
    step = WIDTH / len(chart.columns)
    max_value = max([max(column.whole, column.before or 0) for column in chart.columns] + [1])
    description = "; ".join(column.words for column in chart.columns)
    return format_html(
        '<svg class="chart" role="img" viewBox="0 0 {} {}" aria-labelledby="{}-t {}-d"><title id="{}-t">{}</title>'
        '<desc id="{}-d">{}</desc><defs><pattern id="{}-h" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="chart-late" width="3" height="6"/></pattern></defs>'
        '<line class="chart-floor" x1="0" x2="{}" y1="{}" y2="{}"/>{}{}</svg>',
        WIDTH,
        chart.floor + FOOTER_HEIGHT,
        chart.id,
        chart.id,
        chart.id,
        chart.title,
        chart.id,
        description,
        chart.id,
        WIDTH,
        chart.floor,
        chart.floor,
        format_html_join("", "{}", ((_render_column(chart, n, step, max_value),) for n, _ in enumerate(chart.columns))),
        _render_target(chart, step),
    )


def _render_column(chart: Chart, place: int, step: float, max_value: int) -> SafeString:
    column, floor = chart.columns[place], chart.floor
    count_height, late_height = PLOT_HEIGHT * column.count / max_value, PLOT_HEIGHT * column.late / max_value
    x, width = place * step + step * 0.18, step * 0.64
    middle, top = place * step + step / 2, floor - count_height - late_height
    value = f"{column.whole}" if column.whole else ""
    return format_html(
        '<g>{}<rect class="chart-count" x="{}" y="{}" width="{}" height="{}"/>'
        '<rect class="chart-edge" x="{}" y="{}" width="{}" height="{}" fill="url(#{}-h)"/>'
        '<text class="chart-value" x="{}" y="{}">{}</text><text class="chart-label" x="{}" y="{}">{}</text></g>',
        _render_previous(column, place * step, step, floor, max_value),
        _format_number(x),
        _format_number(floor - count_height),
        _format_number(width),
        _format_number(count_height),
        _format_number(x),
        _format_number(top),
        _format_number(width),
        _format_number(late_height),
        chart.id,
        _format_number(middle),
        _format_number(top - 5),
        value,
        _format_number(middle),
        floor + 16,
        column.label,
    )


def _render_previous(column: Column, left_x: float, step: float, floor: float, max_value: int) -> SafeString | str:
    """Render the column of the previous period, faint and wider."""
    if not column.before:
        return ""
    height = PLOT_HEIGHT * column.before / max_value
    return format_html(
        '<rect class="chart-before" x="{}" y="{}" width="{}" height="{}"/>',
        _format_number(left_x + step * 0.06),
        _format_number(floor - height),
        _format_number(step * 0.88),
        _format_number(height),
    )


def _render_target(chart: Chart, step: float) -> SafeString | str:
    """Render the target as a labeled line between two columns."""
    if chart.target_after < 0:
        return ""
    x = _format_number(chart.target_after * step)
    return format_html(
        '<line class="chart-target" x1="{}" x2="{}" y1="6" y2="{}"/><text class="chart-named" x="{}" y="14">{}</text>',
        x,
        x,
        chart.floor,
        _format_number(chart.target_after * step - 6),
        chart.target,
    )


def _format_number(value: float) -> str:
    return f"{value:.1f}"
