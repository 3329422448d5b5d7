"""GitHub clients that use a person's grant for repositories that the portal's own credential can't read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from django.conf import settings
from django.utils import timezone
from github.Auth import Auth
from github.AuthenticatedUser import AuthenticatedUser

from portal.accounts.models import User
from portal.github_access.models import GitHubGrant
from portal.github_access.services import build_ended_error, find_grant, get_access_token, reject_grant
from verification.sources import Sources
from verification.sources.errors import GitHubUnavailableError, SourceError, SourceNotFoundError
from verification.sources.factory import TOKEN_LIMIT, build_github_client
from verification.sources.github.client import GitHubClient
from verification.sources.github.requester import LimitedRequester, convert_github_errors
from verification.sources.http_cache import HttpCache
from verification.sources.rate_limits import GitHubRateLimiter

MAX_REPOSITORIES = 1000


class GrantAuth(Auth):
    """Authentication with the access token of a grant, which is refreshed when a request needs it."""

    token_type = "Bearer"  # noqa: S105 - the scheme, not a secret

    def __init__(self, grant: GitHubGrant) -> None:
        self.grant = grant

    @property
    def token(self) -> str:
        """Return the access token. Raises GrantEndedError, and SourceUnavailableError for an outage."""
        return get_access_token(self.grant, timezone.now()).value


@dataclass(frozen=True)
class GrantRateLimiter(GitHubRateLimiter):
    """Rate limiter of one grant, which ends the grant if GitHub rejects its token."""

    grant: GitHubGrant = field(kw_only=True)

    def record_response(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        """Record the limits of a response. Raises GrantEndedError or SourceUnavailableError for a rejected token."""
        if status == 401:
            if reject_grant(self.grant, timezone.now()):
                raise build_ended_error(self.grant)
            raise GitHubUnavailableError("The GitHub access was renewed during the request.")
        super().record_response(status, headers, message)


@dataclass(frozen=True, slots=True)
class ReadableRepository:
    """Repository that a person can select."""

    full_name: str
    description: str
    is_private: bool


def build_rate_limiter(grant: GitHubGrant, *, background: bool = False) -> GrantRateLimiter:
    return GrantRateLimiter(grant.source_name, TOKEN_LIMIT, background, grant=grant)


def build_grant_client(grant: GitHubGrant, *, background: bool = False) -> GitHubClient:
    """Build a client that reads private repositories. Its responses are cached for this grant only."""
    return GitHubClient(
        auth=GrantAuth(grant),
        rate_limiter=build_rate_limiter(grant, background=background),
        cache=HttpCache(grant.source_name),
        shows_private=True,
    )


def find_client(full_name: str, reader: User | None, *, background: bool = False) -> GitHubClient:
    """Return the portal's client for a public repository, or else one with the person's grant, if any."""
    client = build_github_client(background=background)
    grant = find_grant(reader)
    if grant is None:
        return client
    try:
        # The portal's own access first: most repositories are public, and their cached responses serve everyone.
        client.get_repository(full_name)
    except SourceNotFoundError:
        return build_grant_client(grant, background=background)
    except SourceError:
        return client  # its later requests report the outage
    return client


def build_sources(full_name: str, reader: User | None, *, background: bool = False) -> Sources:
    """Build the clients of a run that reads a repository, with the person's grant if the repository is private."""
    return Sources(find_client(full_name, reader, background=background))


def list_repositories(grant: GitHubGrant) -> list[ReadableRepository]:
    """Return the repositories that a grant can read, most recently pushed first. Raises SourceError."""
    with convert_github_errors("your repositories"):
        repositories = _get_account(grant).get_repos(sort="pushed")
        return [
            ReadableRepository(repository.full_name, repository.description or "", repository.private)
            for repository in islice(repositories, MAX_REPOSITORIES)
        ]


def get_organization_role(grant: GitHubGrant, organization: str) -> tuple[str, str]:
    """Return the name of an organization as GitHub spells it, and the person's role, blank unless it is active.

    Raises AccessDeniedError if the GitHub App isn't installed, SourceNotFoundError if the person isn't a member, and
    SourceError.
    """
    with convert_github_errors(f"your role in {organization}"):
        membership = _get_account(grant).get_organization_membership(organization)
        # GitHub also returns invitations that the person hasn't accepted.
        return membership.organization.login, membership.role if membership.state == "active" else ""


def _get_account(grant: GitHubGrant) -> AuthenticatedUser:
    requester = LimitedRequester(settings.GITHUB_API_URL, GrantAuth(grant), build_rate_limiter(grant))
    return AuthenticatedUser(requester, url="/user")
