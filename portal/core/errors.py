"""Errors with messages that are safe to display."""

from typing import Literal

# Problem types of the API (portal/api/content/problem_types.yaml)
RefusalKind = Literal[
    "validation-error",  # the input
    "forbidden",
    "invalid-transition",  # not available in the current state
    "requirements-not-met",  # something must be completed first
    "conflict",  # with the current state, such as a change by someone else
    "limit-reached",
    "service-unavailable",  # GitHub or DNS
]


class ActionRefused(Exception):
    """Refusal of an action, with a message that is safe to display."""

    def __init__(self, message: str, kind: RefusalKind = "conflict") -> None:
        super().__init__(message)
        self.kind = kind


class StaleVersionError(ActionRefused):
    """Refusal because the object is no longer the version that the user saw."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "conflict")
