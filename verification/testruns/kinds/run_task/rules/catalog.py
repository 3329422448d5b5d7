"""Catalog of the rules, in which the other modules register their checks."""

from pathlib import Path

from verification.testruns.rules import RuleCatalog

RULES = RuleCatalog(Path(__file__).parents[1] / "content" / "rules.yaml")
