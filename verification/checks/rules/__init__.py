"""Checks, grouped into modules by topic. Importing this package registers all of them, in the order of their names."""

from importlib import import_module
from pkgutil import iter_modules

from integrations.programs.loader import require_known_checks
from integrations.programs.registry import PROGRAMS
from verification.checks.types import CHECKS

__all__ = sorted(module.name for module in iter_modules(__path__))
for _name in __all__:
    import_module(f"{__name__}.{_name}")
# Editions refer to checks by key; only now are all keys known.
require_known_checks(PROGRAMS, CHECKS)
