"""Selection of the edition that is in force, which the settings of the portal decide."""

from django.conf import settings

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.schema import Edition


def get_edition_in_force(program: str) -> Edition:
    """Return the edition for new integrations: the one in the setting PROGRAM_EDITIONS, or else the default."""
    date = settings.PROGRAM_EDITIONS.get(program)
    return get_edition(program, date) if date else PROGRAMS[program].default_edition
