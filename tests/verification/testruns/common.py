"""Folders and results that tests of several kinds share."""

import atexit
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from verification.testruns.rules import RuleCatalog, RuleRecords


def make_shared_folder(prefix: str) -> Path:
    """Return a new folder that is deleted when the process ends."""
    folder = mkdtemp(prefix=prefix)
    atexit.register(rmtree, folder, ignore_errors=True)
    return Path(folder)


def get_outcomes(rules: RuleCatalog, records: RuleRecords) -> dict[str, str]:
    """Return the outcome of each rule."""
    return {each["rule"]: str(each["outcome"]) for each in rules.evaluate(records)}


def get_summary(rules: RuleCatalog, records: RuleRecords, rule: str) -> str:
    """Return the summary of one rule."""
    return next(each["summary"] for each in rules.evaluate(records) if each["rule"] == rule)
