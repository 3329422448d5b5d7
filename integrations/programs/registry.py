"""Which programs are there? One file each; a new file in this folder is a new program."""

from importlib import import_module
from pkgutil import iter_modules

from integrations.programs import content
from integrations.programs.schema import Edition, Program

SUPPORT_MODULES = {"common", "editions", "licenses"}


def discover_programs() -> dict[str, Program]:
    """Every module of this folder that holds a PROGRAM, by key, in the order of their keys."""
    names = sorted(m.name for m in iter_modules(content.__path__) if m.name not in SUPPORT_MODULES)
    programs = [import_module(f"{content.__name__}.{name}").PROGRAM for name in names]
    return {program.key: program for program in programs}


PROGRAMS: dict[str, Program] = discover_programs()


def get_edition(program: str, date: str) -> Edition:
    """The edition that an integration keeps. Raises KeyError for one that never was."""
    return PROGRAMS[program].edition(date)
