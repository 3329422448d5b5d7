"""Errors that are fit to show."""


class ActionRefused(Exception):
    """A refusal, fit to show. `kind`: gone (no such step from here), may (not this person), ready (not yet),
    stale (somebody was faster)."""

    def __init__(self, message: str, kind: str = "ready") -> None:
        super().__init__(message)
        self.kind = kind
