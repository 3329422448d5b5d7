"""Rules of the run task test. Their texts are in content/rules.yaml."""

from verification.testruns.kinds.run_task.rules import responses, results  # noqa: F401 - registers the checks
from verification.testruns.kinds.run_task.rules.catalog import RULES

__all__ = ["RULES"]
