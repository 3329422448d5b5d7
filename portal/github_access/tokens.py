"""Requests to GitHub that refresh and revoke tokens. They don't change the database."""

from django.conf import settings
from github import GithubException
from github.AccessToken import AccessToken
from github.ApplicationOAuth import ApplicationOAuth
from github.Auth import Login

from portal.core.crypto import Secret
from verification.sources.errors import SourceError
from verification.sources.github.requester import LimitedRequester, build_error, convert_github_errors
from verification.sources.http import github_transport

REFUSED_REFRESH = "bad_refresh_token"  # used before, expired, or revoked by its owner
SUBJECT = "the GitHub access"


class RefreshRefusedError(Exception):
    """Permanent rejection of a refresh token by GitHub."""


def refresh(refresh_token: Secret) -> AccessToken:
    """Return new tokens. Raises RefreshRefusedError, and SourceError for an outage."""
    github_transport.reset_hops()
    values = {"client_id": settings.GITHUB_CLIENT_ID, "client_secret": settings.GITHUB_CLIENT_SECRET}
    application = ApplicationOAuth(LimitedRequester(settings.GITHUB_API_URL), {}, values)
    with convert_github_errors(SUBJECT):
        try:
            return application.refresh_access_token(refresh_token.value)
        except GithubException as error:
            if isinstance(error.data, dict) and error.data.get("error") == REFUSED_REFRESH:
                raise RefreshRefusedError from error
            raise


def revoke(access_token: Secret, refresh_token: Secret, *, is_expired: bool) -> bool:
    """Revoke the grant with all its tokens. Return whether GitHub confirmed it.

    GitHub requires a valid token, so an expired one is refreshed first.
    """
    try:
        token = refresh(refresh_token).token if is_expired else access_token.value
        _delete_grant(token)
    except RefreshRefusedError:
        return True  # already revoked
    except SourceError:
        return False
    return True


def _delete_grant(token: str) -> None:
    """Send the request, for which PyGithub has no method. An unknown token is already revoked."""
    auth = Login(settings.GITHUB_CLIENT_ID, settings.GITHUB_CLIENT_SECRET)
    with convert_github_errors(SUBJECT):
        requester = LimitedRequester(settings.GITHUB_API_URL, auth)
        path = f"/applications/{settings.GITHUB_CLIENT_ID}/grant"
        status, _headers, _body = requester.requestJson("DELETE", path, input={"access_token": token})
        if status not in {204, 404, 422}:
            raise build_error(status, SUBJECT)
