"""Jobs of the checks app."""

from verification.checks.services.runs import run_checks

__all__ = ["run_checks"]
