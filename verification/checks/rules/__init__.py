"""The checks, one small module a family. Importing this package registers all of them, in the order of their names."""

from importlib import import_module
from pkgutil import iter_modules

__all__ = sorted(module.name for module in iter_modules(__path__))
for _name in __all__:
    import_module(f"{__name__}.{_name}")
