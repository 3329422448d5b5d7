"""Errors with messages that are safe to display."""

from datetime import timedelta
from typing import Literal

# Problem types of the API (portal/api/content/problem_types.yaml)
RefusalKind = Literal[
    "validation-error",  # the input
    "forbidden",
    "invalid-transition",  # not available in the current state
    "requirements-not-met",  # something must be completed first
    "conflict",  # with the current state, such as a change by someone else
    "limit-reached",
    "rate-limited",  # waiting is enough
    "service-unavailable",  # GitHub or DNS
]


class ActionRefused(Exception):
    """Refusal of an action, with a message that is safe to display.

    `retry_after` is how long to wait before the same action is possible, if that is enough.
    """

    def __init__(self, message: str, kind: RefusalKind = "conflict", *, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class StaleVersionError(ActionRefused):
    """Refusal because the object is no longer the version that the user saw."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "conflict")
