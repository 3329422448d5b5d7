"""Registry of the programs and their editions, loaded once when this module is imported."""

from integrations.programs.loader import CONTENT, load_programs
from integrations.programs.schema import Edition, Program

PROGRAMS: dict[str, Program] = load_programs(CONTENT)


def get_edition(program: str, date: str) -> Edition:
    """Return the edition that an integration keeps. Raises KeyError if there is none of that program and date."""
    return PROGRAMS[program].edition(date)
