"""Which days are holidays?"""

from datetime import date

import pytest

from integrations.partners.holidays import UnknownPlace, places, snapshot

WITHOUT = {"BV", "HM", "IO", "UA"}  # nobody lives there; martial law has none


def test_holidays_have_english_names_and_observed_days() -> None:
    found = snapshot("US", "CA", 2026, 2026)
    assert found[date(2026, 7, 3)] == "Independence Day (observed)"
    assert snapshot("de", "DE-BY", 2026, 2026)[date(2026, 1, 6)] == "Epiphany"


def test_a_part_has_holidays_of_its_own() -> None:
    assert snapshot("DE", "", 2026, 2026).keys() < snapshot("DE", "BY", 2026, 2026).keys()


def test_every_place_that_is_offered_is_known() -> None:
    offered = places()
    assert {"US", "DE", "JP", "IN"} <= offered.keys()
    assert {country for country in offered if not snapshot(country, "", 2026, 2027)} == WITHOUT


def test_years_that_nobody_knows_have_none() -> None:
    assert snapshot("US", "", 1500, 1501) == {}


@pytest.mark.parametrize(("country", "part"), [("ZZ", ""), ("", ""), ("US", "Bavaria"), ("holidays", "")])
def test_an_unknown_place_gets_a_sentence(country: str, part: str) -> None:
    with pytest.raises(UnknownPlace):
        snapshot(country, part, 2026, 2026)
