"""Registry of the programs and their editions, loaded once when this module is imported."""

from integrations.programs.loader import CONTENT, load_programs
from integrations.programs.schema import Edition, Program

PROGRAMS: dict[str, Program] = load_programs(CONTENT)


def get_edition(program: str, date: str) -> Edition:
    """Return an edition by program and date. Raises KeyError for an unknown program or date."""
    return PROGRAMS[program].edition(date)
