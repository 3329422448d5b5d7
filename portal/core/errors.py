"""Errors with messages that are safe to display."""


class ActionRefused(Exception):
    """Refusal of an action, with a message that is safe to display.

    `kind` is a problem type of the API: invalid-transition, forbidden, requirements-not-met, or conflict.
    """

    def __init__(self, message: str, kind: str = "requirements-not-met") -> None:
        super().__init__(message)
        self.kind = kind
