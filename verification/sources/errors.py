"""Errors of source clients."""

from datetime import datetime


class SourceError(Exception):
    """Failed request to a source. The message is safe to display."""


class SourceNotFoundError(SourceError):
    """Resource that doesn't exist or isn't visible to the portal."""


class PageLimitError(SourceError):
    """Page of a long list beyond the last one that the source returns."""


class MissingVersionError(SourceError):
    """Version that a source lists but doesn't return: what else the source states about the object still counts."""


class LegallyWithheldError(SourceError):
    """Resource that the source withholds for legal reasons (451), which is neither absence nor an outage."""


class AccessDeniedError(SourceError):
    """Resource that the source denies access to."""


class UnsupportedBySourceError(SourceError):
    """Information that the source can't provide, now or later, as a folder can't know its owner. Never a pass."""


class SourceUnavailableError(SourceError):
    """Unusable response of a source: an outage that isn't caused by the partner.

    `retry_at`: earliest useful time of a retry, if known. `source`: name of the service, if many checks read it.
    """

    source = ""

    def __init__(self, message: str = "", retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class GitHubUnavailableError(SourceUnavailableError):
    """Unusable response of GitHub."""

    source = "GitHub"


class RegistryUnavailableError(SourceUnavailableError):
    """Unusable response of the Terraform Registry."""

    source = "Terraform Registry"


class RequestRefusedError(SourceError):
    """Rejected URL or response. The author of the URL can fix the reason."""
