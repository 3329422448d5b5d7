"""GitHub client that returns the portal's own types; api.py sends the requests through PyGithub.

Each response is a frozen dataclass; each error is a SourceError. Responses are remembered for the life of the client,
so that a check run sees one consistent state.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from django.conf import settings
from github.Auth import Auth

from verification.sources.errors import GitHubUnavailableError, UnsupportedBySourceError, remember
from verification.sources.github import responses
from verification.sources.github.api import GitHubApi, ResponseCache, build_token_auth
from verification.sources.github.requester import RateLimiter, build_error
from verification.sources.github.responses import GitHubRelease, GitHubRepository, PullRequest, ReleaseAsset
from verification.sources.repository_snapshot import MAX_FILE_BYTES, RepositoryFile, RepositorySnapshot
from verification.terraform.versions import try_parse_version

T = TypeVar("T")
RELEASES_PER_PAGE = 30  # GitHub's default
MAX_RELEASE_PAGES = 10
REPOSITORY_PATH_PATTERN = re.compile(r"/repos/([^/?]+/[^/?]+)")


class GitHubClient:
    """Client for one run. The token comes from the settings unless given.

    Without `rate_limiter`, no request is counted. Without `cache`, no response is stored for later runs.
    With `shows_private`, the credential is that of a person who wants the portal to read private repositories.
    """

    def __init__(
        self,
        token: str | None = None,
        *,
        auth: Auth | None = None,
        rate_limiter: RateLimiter | None = None,
        cache: ResponseCache | None = None,
        shows_private: bool = False,
    ) -> None:
        credential = auth or build_token_auth(settings.GITHUB_TOKEN if token is None else token)
        self._api = GitHubApi(settings.GITHUB_API_URL, credential, rate_limiter, cache)
        self._responses: dict[str, object] = {}
        self._hides_private = credential is not None and not shows_private
        self._personal_auth = auth if shows_private else None

    def get_repository(self, full_name: str) -> GitHubRepository:
        """Return the repository with this name, or with the new name after a rename. Raises SourceError."""
        return self._read(f"/repos/{full_name}", f"the repository {full_name}", responses.parse_repository)

    def list_releases(self, full_name: str) -> tuple[GitHubRelease, ...]:
        """Return the newest releases in GitHub's order, up to a page with a stable version. Raises SourceError."""
        releases: tuple[GitHubRelease, ...] = ()
        for page in range(1, MAX_RELEASE_PAGES + 1):
            # Pages of GitHub's default size, so that almost all repositories cost one conditional request.
            path = f"/repos/{full_name}/releases" + (f"?page={page}" if page > 1 else "")
            page_releases = self._read(path, f"the releases of {full_name}", responses.parse_releases)
            releases += page_releases
            # Nightly pre-releases can fill whole pages in front of the newest version.
            if len(page_releases) < RELEASES_PER_PAGE or any(map(_is_stable, page_releases)):
                break
        return releases

    def get_release(self, full_name: str, tag: str) -> GitHubRelease:
        """Return the release of a tag, however old it is. Raises SourceError."""
        path = f"/repos/{full_name}/releases/tags/{quote(tag, safe='')}"
        return self._read(path, f"the release {tag} of {full_name}", responses.parse_release)

    def build_asset_request(self, full_name: str, asset: ReleaseAsset) -> tuple[str, dict[str, str]]:
        """Return the address and headers that download a release asset.

        Private assets are only served by the API. The portal's own credential is never sent for an asset. Raises
        SourceError if a person's access has ended.
        """
        if self._personal_auth is None:
            return asset.url, {}
        address = f"{self._api.requester.base_url}/repos/{full_name}/releases/assets/{asset.id}"
        authorization = f"{self._personal_auth.token_type} {self._personal_auth.token}"
        return address, {"Authorization": authorization, "Accept": "application/octet-stream"}

    def get_snapshot(self, full_name: str, ref: str) -> RepositorySnapshot:
        """Return the files at a tag or branch. Each file is fetched when it is opened. Raises SourceError."""
        what = f"the code of {full_name} at {ref}"
        commit = self._read(f"/repos/{full_name}/commits/{quote(ref, safe='')}", what, responses.parse_commit)
        # By commit and not by ref, because the tree and the files of a commit are cached forever.
        path = f"/repos/{full_name}/git/trees/{commit}?recursive=1"
        files, is_truncated = self._read(path, what, responses.parse_tree)
        return RepositorySnapshot(full_name, commit, files, is_truncated, lambda file: self._read_file(full_name, file))

    def has_branch(self, full_name: str, name: str) -> bool:
        """Return whether a branch has exactly this name. Raises SourceError.

        The request is for a list: a 404 response has no ETag, so each repetition would count toward the rate limit.
        """
        path = f"/repos/{full_name}/git/matching-refs/heads/{quote(name, safe='/')}"
        refs = self._read(path, f"the branches of {full_name} called {name}", responses.parse_refs)
        return f"refs/heads/{name}" in refs

    def get_pull_request(self, full_name: str, number: int) -> PullRequest:
        """Return the pull request with this number. Raises SourceError."""
        what = f"pull request {number} of {full_name}"
        return self._read(f"/repos/{full_name}/pulls/{number}", what, responses.parse_pull_request)

    def list_workflow_states(self, full_name: str) -> Mapping[str, str]:
        """Return the state of each workflow by its path. Raises SourceError."""
        path = f"/repos/{full_name}/actions/workflows?per_page=100"
        return self._read(path, f"the workflows of {full_name}", responses.parse_workflow_states)

    def get_user_id(self, login: str) -> int:
        """Return the ID of an account, which stays the same when the account is renamed. Raises SourceError."""
        return self._read(f"/users/{login}", f"the account {login}", lambda raw: responses.parse_number(raw["id"]))

    def close(self) -> None:
        self._api.close()

    def _read_file(self, full_name: str, file: RepositoryFile) -> str:
        """Return the text of a file. Invalid UTF-8 is replaced. Raises SourceError."""
        what = f"{file.path} of {full_name}"
        # A large file isn't an outage: no later run could read it either.
        if file.size > MAX_FILE_BYTES:
            raise UnsupportedBySourceError(f"{what} is larger than {MAX_FILE_BYTES // 1024} KiB.")
        return self._read(f"/repos/{full_name}/git/blobs/{file.sha}", what, responses.parse_blob)

    def _read(self, path: str, what: str, parse: Callable[[Any], T]) -> T:
        """Return the parsed response. Raises SourceError.

        The portal's credential may have access to private repositories that the user must not see. For these, the
        error is the one that GitHub returns without a credential: not found.
        """
        repository = REPOSITORY_PATH_PATTERN.match(path)
        # A conditional request, so it counts toward the rate limit only if the repository changed.
        if repository and self._hides_private:
            name = f"the repository {repository[1]}"
            if _parse_response(name, lambda raw: bool(raw["private"]), self._request(repository[0], name)):
                raise build_error(404, name)
        return _parse_response(what, parse, self._request(path, what))

    def _request(self, path: str, what: str) -> object:
        """Return the response, requested once per client."""
        return remember(self._responses, path, lambda: self._api.get(path, what))


def _is_stable(release: GitHubRelease) -> bool:
    """Return whether a published release has the tag of a version that is no pre-release."""
    version = try_parse_version(release.tag.removeprefix("v")) if release.tag.startswith("v") else None
    return version is not None and not version.is_prerelease and not release.draft


def _parse_response(what: str, parse: Callable[[Any], T], response: object) -> T:
    """Parse a response. Raises SourceUnavailableError for an unexpected format."""
    try:
        return parse(response)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GitHubUnavailableError(f"Can't parse GitHub's response for {what}.") from error
