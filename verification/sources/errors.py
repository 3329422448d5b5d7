"""Errors of source clients, and a memory of what sources returned, which includes their errors."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

T = TypeVar("T")


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


def remember(outcomes: dict[str, Any], key: str, read: Callable[[], T]) -> T:
    """Return what `read` returned for the key the first time; a SourceError is raised again."""
    # functools.cache would forget errors, and all checks of a run have to report the same outage.
    if key not in outcomes:
        try:
            outcomes[key] = read()
        except SourceError as error:
            outcomes[key] = error
    outcome: T | SourceError = outcomes[key]
    if isinstance(outcome, SourceError):
        raise outcome
    return outcome
