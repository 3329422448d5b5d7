"""Which days are holidays of a country, as of today's knowledge? A snapshot, so that an update moves no promise."""

import warnings
from datetime import date

import holidays
from holidays.registry import COUNTRIES

from portal.core.translation import gettext_noop

LANGUAGE = "en_US"


class UnknownPlace(ValueError):
    """A country or a part of it that we have no holidays of; its text is fit to show. `words % values` says it."""

    def __init__(self, words: str, **values: str) -> None:
        super().__init__(words % values)
        self.words, self.values = words, values


def snapshot(country: str, subdivision: str, first_year: int, last_year: int) -> dict[date, str]:
    """The public holidays of a place (ISO 3166 codes, "US" and "CA") from one year through another, by name.

    Years that are not known of that place have none. Raises UnknownPlace.
    """
    country, subdivision = country.strip().upper(), subdivision.strip().upper()
    known = places()
    if country not in known:
        raise UnknownPlace(
            gettext_noop("We know no holidays of “%(country)s”: give a country's two letters, such as US or DE."),
            country=country,
        )
    by_capitals = {name.upper(): name for name in known[country]}
    part = by_capitals.get(subdivision.removeprefix(f"{country}-"))
    if subdivision and part is None:
        words = gettext_noop("“%(part)s” is no part of %(country)s that we know holidays of; those are: %(some)s.")
        if not known[country]:
            words = gettext_noop("“%(part)s” is no part of %(country)s that we know holidays of; it has none.")
        raise UnknownPlace(words, part=subdivision, country=country, some=", ".join(known[country]))
    years = range(first_year, last_year + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asked beyond what it knows it warns, on standard error
        found = holidays.country_holidays(country, subdiv=part, years=years, expand=False, language=LANGUAGE)
    return {day: str(name) for day, name in sorted(found.items())}


def countries() -> list[tuple[str, str]]:
    """Code and name of each country that we know holidays of, by name."""
    known = places()
    words = {codes[1]: name.replace("_", " ").title() for name, codes in COUNTRIES.items()}
    return sorted(((code, words.get(code, code)) for code in known), key=lambda pair: pair[1])


def places() -> dict[str, list[str]]:
    """The countries that we know holidays of, each with its parts."""
    return holidays.list_supported_countries(include_aliases=False)
