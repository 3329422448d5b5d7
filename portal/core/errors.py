"""Errors that are fit to show."""


class ActionRefused(Exception):
    """A refusal, fit to show. `kind`: a problem type of the API: invalid-transition, forbidden,
    requirements-not-met, conflict."""

    def __init__(self, message: str, kind: str = "requirements-not-met") -> None:
        super().__init__(message)
        self.kind = kind
