"""Tests of public holidays."""

from datetime import date

import pytest

from portal.core.holidays import UnknownRegionError, list_countries, load_holidays

COUNTRIES_WITHOUT_HOLIDAYS = {"BV", "HM", "IO", "UA"}  # uninhabited, or without public holidays by law


def test_holidays_have_english_names_and_observed_days() -> None:
    holidays = load_holidays("US", "CA", 2026, 2026)
    assert holidays[date(2026, 7, 3)] == "Independence Day (observed)"
    assert load_holidays("de", "DE-BY", 2026, 2026)[date(2026, 1, 6)] == "Epiphany"


def test_region_has_its_own_holidays() -> None:
    assert load_holidays("DE", "", 2026, 2026).keys() < load_holidays("DE", "BY", 2026, 2026).keys()


def test_every_offered_country_is_known() -> None:
    countries = dict(list_countries())
    assert {"US", "DE", "JP", "IN"} <= countries.keys()
    assert {code for code in countries if not load_holidays(code, "", 2026, 2027)} == COUNTRIES_WITHOUT_HOLIDAYS


def test_unknown_years_have_no_holidays() -> None:
    assert load_holidays("US", "", 1500, 1501) == {}


@pytest.mark.parametrize(
    ("country", "subdivision", "message"),
    [("ZZ", "", "Unknown country “ZZ”."), ("", "", "Unknown country “”."), ("US", "Bavaria", "“BAVARIA”")],
)
def test_unknown_region_is_refused_with_an_explanation(country: str, subdivision: str, message: str) -> None:
    with pytest.raises(UnknownRegionError, match=message):
        load_holidays(country, subdivision, 2026, 2026)
