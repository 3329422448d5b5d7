"""Names of issues, such as "acme/terraform-provider-rocket#7"."""

from datetime import datetime

from portal.core.repository_urls import find_repository


def format_issue_name(repository: str, number: int, url: str, ended_at: datetime | None) -> str:
    """Return the name of an issue in the monitored repository, or in an earlier one if its monitoring ended."""
    # The URL of an issue keeps the repository from which the integration moved away.
    earlier_repository = find_repository(url) if ended_at is not None else ""
    return f"{earlier_repository or repository}#{number}"
