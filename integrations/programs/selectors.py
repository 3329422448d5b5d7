"""Edition that is in force, which the settings of the portal decide, and its calendar."""

from django.conf import settings

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.schema import Edition
from portal.core.business_time import Calendar


def get_edition_in_force(program: str) -> Edition:
    """Return the edition for new integrations: the one in the setting PROGRAM_EDITIONS, or else the default."""
    date = settings.PROGRAM_EDITIONS.get(program)
    return get_edition(program, date) if date else PROGRAMS[program].default_edition


def get_program_calendar(program: str) -> Calendar:
    """Return the calendar of the edition in force, for figures about all integrations of a program.

    A program that no longer exists has the default calendar.
    """
    return get_edition_in_force(program).business_calendar if program in PROGRAMS else Calendar()
