"""Public holidays by country and region.

Partners' calendars store a snapshot of these, so that an update of the library doesn't move due dates.
"""

import warnings
from datetime import date

import holidays
from holidays.registry import COUNTRIES

from portal.core.translation import gettext_noop

HOLIDAY_LANGUAGE = "en_US"
COUNTRY_NAMES = {codes[1]: name.replace("_", " ").title() for name, codes in COUNTRIES.items()}


class UnknownRegionError(ValueError):
    """Country or region without holiday data. The message is safe to display and is `template % values`."""

    def __init__(self, message: str, **values: str) -> None:
        super().__init__(message % values)
        self.template = message
        self.values = values


def load_holidays(country: str, subdivision: str, first_year: int, last_year: int) -> dict[date, str]:
    """Return the names of public holidays by date.

    Args:
        country: ISO 3166-1 code, such as "US".
        subdivision: Second part of the ISO 3166-2 code, such as "CA". Empty for the whole country.
        first_year: First year.
        last_year: Last year, inclusive. Years without data have no holidays.

    Raises:
        UnknownRegionError: The library has no data for this country or region.
    """
    country = country.strip().upper()
    subdivision = subdivision.strip().upper()
    if country not in COUNTRY_NAMES:
        raise UnknownRegionError(
            gettext_noop("Unknown country “%(country)s”. Enter a two-letter country code, such as US or DE."),
            country=country,
        )
    regions: tuple[str, ...] = getattr(holidays, country).subdivisions
    names_by_upper_case = {name.upper(): name for name in regions}
    region = names_by_upper_case.get(subdivision.removeprefix(f"{country}-"))
    if subdivision and region is None:
        message = gettext_noop("Unknown region “%(part)s” of %(country)s. Enter one of these codes: %(some)s.")
        if not regions:
            message = gettext_noop(
                "Unknown region “%(part)s”. We have no regions for %(country)s. Leave this field blank."
            )
        raise UnknownRegionError(message, part=subdivision, country=country, some=", ".join(regions))
    years = range(first_year, last_year + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns on stderr about years without data
        country_holidays = holidays.country_holidays(
            country, subdiv=region, years=years, expand=False, language=HOLIDAY_LANGUAGE
        )
    return {day: str(name) for day, name in sorted(country_holidays.items())}


def list_countries() -> list[tuple[str, str]]:
    """Return the code and name of each supported country, sorted by name."""
    return sorted(COUNTRY_NAMES.items(), key=lambda choice: choice[1])
