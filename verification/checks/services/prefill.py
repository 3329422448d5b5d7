"""Values that the repository provides for the start form."""

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from portal.core.repository_urls import InvalidRepositoryUrlError, get_product_name, parse_repository
from portal.core.value_types import NamedValues
from verification.checks.rules.shared_reads import find_newest_release
from verification.sources import factory
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.github.client import GitHubClient
from verification.sources.github.responses import GitHubRelease, GitHubRepository


def prefill(address: str) -> dict[str, object]:
    """Return values for the start form, read from GitHub.

    `note` says why there are none, and is blank otherwise. The form works without them.
    """
    unknown_values: NamedValues = {"repository_id": None, "repository_owner_id": None}
    try:
        name = parse_repository(address)
    except InvalidRepositoryUrlError as error:
        return unknown_values | {"note": str(error)}
    client = factory.build_github_client()
    try:
        repository = client.get_repository(name)
    except SourceNotFoundError:
        problem = _(
            "We can't find the public repository %(name)s. Check the URL or the repository visibility. You can also "
            "enter the details yourself."
        )
        return unknown_values | {"note": problem % {"name": name}}
    except SourceError as refusal:
        return unknown_values | {"note": _("%(why)s You can enter the details yourself.") % {"why": refusal}}
    return build_values(repository, _find_latest_release(client, repository.full_name)) | {"note": ""}


def build_values(repository: GitHubRepository, latest: GitHubRelease | None) -> dict[str, object]:
    return {
        "repository": repository.full_name,
        "repository_id": repository.id,
        "repository_owner_id": repository.owner_id,
        "name": format_title(get_product_name(repository.name)),
        "description": repository.description,
        "license": repository.license_spdx,
        "latest_release": latest.tag if latest else "",
        # GitHub accepts any text as a homepage.
        "homepage": repository.homepage if repository.homepage.startswith(("https://", "http://")) else "",
    }


def format_title(name: str) -> str:
    """Return "rocket-launcher" as a title: "Rocket launcher"."""
    return capfirst(name.replace("-", " ").replace("_", " ").strip())


def _find_latest_release(client: GitHubClient, full_name: str) -> GitHubRelease | None:
    """Return the newest published release by version, else by date, or None without one or if GitHub doesn't answer."""
    try:
        releases = client.list_releases(full_name)
    # The release only completes the form, so its failed read isn't a problem to report.
    except SourceError:
        return None
    published = [release for release in releases if not release.draft]
    return find_newest_release(published) or next(iter(published), None)
