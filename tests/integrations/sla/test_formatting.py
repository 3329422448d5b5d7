"""Tests of numbers that pages, emails, and reports list together."""

import pytest

from integrations.sla.formatting import format_hours, format_percent


@pytest.mark.parametrize(("share", "text"), [(100.0, "100.0%"), (83.3, "83.3%"), (0.0, "0.0%"), (None, "–")])
def test_percentages_have_one_decimal(share: float | None, text: str) -> None:
    assert format_percent(share) == text


@pytest.mark.parametrize(("hours", "text"), [(30.0, "30.0 h"), (3.5, "3.5 h"), (None, "–")])
def test_medians_have_one_decimal(hours: float | None, text: str) -> None:
    assert format_hours(hours) == text
