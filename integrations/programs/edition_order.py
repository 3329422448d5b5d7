"""Consistency rules between the editions of one program: names that a newer edition renames, and upcoming editions."""

from collections.abc import Iterator

from integrations.programs.consistency import Inconsistency
from integrations.programs.schema import Edition, Program
from portal.core.content_files import Location


def find_unknown_renames(program: Program, edition: Edition) -> Iterator[Inconsistency]:
    """Yield the invalid entries of `renames`, which must map an older edition to this one."""
    for date, names in edition.renames.items():
        location: Location = ("edition", "renames", date)
        # An older edition can't know the names of a newer one.
        if date not in program.by_date or date >= edition.date:
            yield Inconsistency(location, "No older edition has this date.", "Use the date of an older edition.")
            continue
        older, newer = _collect_names(program.by_date[date]), _collect_names(edition)
        for old, new in names.items():
            if old not in older:
                yield Inconsistency(
                    (*location, old), f"{old!r} is not in the edition of {date}.", "Correct the old key."
                )
            if new not in newer:
                yield Inconsistency((*location, old), f"{new!r} is not in this edition.", "Correct the new key.")


def find_misplaced_upcoming(program: Program, edition: Edition) -> Iterator[Inconsistency]:
    """Yield a violation if the edition is not upcoming but an older one is, or if all editions are upcoming."""
    older = [each for each in program.editions if each.date < edition.date]
    # This one would be in force, and the older one would stay upcoming.
    if not edition.upcoming and any(each.upcoming for each in older):
        yield Inconsistency(("edition",), "An older edition is upcoming.", "Set `upcoming: true` here too.")
    if edition.upcoming and not any(not each.upcoming for each in older):
        yield Inconsistency(("edition", "upcoming"), "No older edition is in force.", "Remove `upcoming`.")


def _collect_names(edition: Edition) -> set[str]:
    return {
        *(requirement.id for requirement in edition.list_requirements()),
        *(step.key for step in edition.steps),
        *(category.key for category in edition.categories),
        *edition.offerings,
    }
