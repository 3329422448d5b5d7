"""The suites of this package, found by their modules."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import tests.conform
from tests.conform.base import Suite

SHARED_MODULES = frozenset({"__main__", "base", "discovery", "document", "progress"})


def find_modules() -> dict[str, ModuleType]:
    """Return the module of each suite by the suite's key, in alphabetical order of the modules."""
    names = sorted(each.name for each in iter_modules(tests.conform.__path__))
    candidates = (import_module(f"tests.conform.{name}") for name in names if _is_candidate(name))
    return {module.SUITE.key: module for module in candidates if hasattr(module, "SUITE")}


def find_suites() -> dict[str, Suite]:
    """Return every suite by its key."""
    return {key: module.SUITE for key, module in find_modules().items()}


def find_fuzzers() -> dict[str, Suite]:
    """Return the rows of the suites that have a fuzzer, by the suite's key."""
    return {key: module.FUZZER for key, module in find_modules().items() if hasattr(module, "FUZZER")}


def _is_candidate(name: str) -> bool:
    return name not in SHARED_MODULES and not name.startswith("test_")
