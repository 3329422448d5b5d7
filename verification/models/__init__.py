"""The tables of the middle floor."""

from verification.models.checks import CheckResult, CheckRun

__all__ = ["CheckResult", "CheckRun"]
