"""Errors of source clients."""

from datetime import datetime


class SourceError(Exception):
    """A source gave no usable answer. The text is a sentence fit to show."""


class SourceNotFoundError(SourceError):
    """The source answered that there is no such thing, or none that we may see."""


class LegallyWithheldError(SourceError):
    """The source answered that the law forbids it to show this (451): neither absent nor an outage, and a person's."""


class AccessDeniedError(SourceError):
    """The source answered that we may not see it."""


class SourceUnavailableError(SourceError):
    """The source did not answer in a way that can be used: an outage, never the partner's fault.

    `retry_at`: from when on it makes sense to ask again, where that is known.
    """

    def __init__(self, message: str = "", retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class RequestRefusedError(SourceError):
    """Refusal of an address or its answer by the portal, for a reason that the author of the address can fix."""
