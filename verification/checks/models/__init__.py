"""Models of the checks app."""

from verification.checks.models.checks import CheckResult, CheckResultQuerySet, CheckRun, CheckRunQuerySet
from verification.checks.models.ci_reports import CiCheckReport
from verification.checks.models.observations import Observation

__all__ = [
    "CheckResult",
    "CheckResultQuerySet",
    "CheckRun",
    "CheckRunQuerySet",
    "CiCheckReport",
    "Observation",
]
