"""The checks, one small module a family. Importing this package registers all of them."""

from verification.checks import registry, repository

__all__ = ["registry", "repository"]
