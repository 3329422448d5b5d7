"""Which days are holidays of a country, as of today's knowledge? A snapshot, so that an update moves no promise."""

import warnings
from datetime import date

import holidays
from holidays.registry import COUNTRIES

from portal.core.translation import gettext_noop

HOLIDAY_LANGUAGE = "en_US"


class UnknownRegionError(ValueError):
    """A country or a part of it that we have no holidays of; its text is fit to show. `words % values` says it."""

    def __init__(self, message: str, **values: str) -> None:
        super().__init__(message % values)
        self.words, self.values = message, values


def load_holidays(country: str, subdivision: str, first_year: int, last_year: int) -> dict[date, str]:
    """The public holidays of a place (ISO 3166 codes, "US" and "CA") from one year through another, by name.

    Years that are not known of that place have none. Raises UnknownPlace.
    """
    country, subdivision = country.strip().upper(), subdivision.strip().upper()
    regions_by_country = list_regions()
    if country not in regions_by_country:
        raise UnknownRegionError(
            gettext_noop("We know no holidays of “%(country)s”: give a country's two letters, such as US or DE."),
            country=country,
        )
    names_by_upper_case = {name.upper(): name for name in regions_by_country[country]}
    region = names_by_upper_case.get(subdivision.removeprefix(f"{country}-"))
    if subdivision and region is None:
        message = gettext_noop("“%(part)s” is no part of %(country)s that we know holidays of; those are: %(some)s.")
        if not regions_by_country[country]:
            message = gettext_noop("“%(part)s” is no part of %(country)s that we know holidays of; it has none.")
        raise UnknownRegionError(
            message, part=subdivision, country=country, some=", ".join(regions_by_country[country])
        )
    years = range(first_year, last_year + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asked beyond what it knows it warns, on standard error
        country_holidays = holidays.country_holidays(
            country, subdiv=region, years=years, expand=False, language=HOLIDAY_LANGUAGE
        )
    return {day: str(name) for day, name in sorted(country_holidays.items())}


def list_countries() -> list[tuple[str, str]]:
    """Code and name of each country that we know holidays of, by name."""
    regions_by_country = list_regions()
    names_by_code = {codes[1]: name.replace("_", " ").title() for name, codes in COUNTRIES.items()}
    return sorted(((code, names_by_code.get(code, code)) for code in regions_by_country), key=lambda choice: choice[1])


def list_regions() -> dict[str, list[str]]:
    """The countries that we know holidays of, each with its parts."""
    return holidays.list_supported_countries(include_aliases=False)
