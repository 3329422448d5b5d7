"""Tests of storing, refreshing, and revoking GitHub grants."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.utils import timezone

from portal.accounts import roles
from portal.accounts.models import User
from portal.core import encrypted_fields
from portal.github_access import clients, services
from portal.github_access.models import GitHubGrant
from portal.notifications.models import EmailMessage
from tests.fakes.github.server import GitHub
from tests.fakes.test_sign_in import choose_account
from tests.portal.accounts.test_account_security import list_event_kinds
from tests.portal.accounts.test_github_only import age_sign_in
from tests.portal.github_access.conftest import PUBLIC, SECRET, Connect
from verification.sources.errors import SourceUnavailableError
from verification.sources.models import GitHubRateLimit, HttpCacheEntry

pytestmark = [pytest.mark.any_database, pytest.mark.github]
HOURS = timedelta(hours=9)


def read_secret(grant: GitHubGrant) -> str:
    return clients.build_grant_client(grant).get_repository(SECRET.full_name).full_name


def get_tokens(grant: GitHubGrant) -> tuple[bytes, bytes]:
    grant.refresh_from_db()
    return bytes(grant.access_token), bytes(grant.refresh_token)


def expire(grant: GitHubGrant) -> None:
    GitHubGrant.objects.filter(pk=grant.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    grant.refresh_from_db()


def test_connected_account_is_stored_encrypted_and_adds_no_sign_in(
    alice: User, connect: Connect, github_app: GitHub
) -> None:
    grant = connect(alice)
    assert (grant.login, grant.is_active, SocialAccount.objects.count(), SocialToken.objects.count()) == (
        "alice-gh",
        True,
        0,
        0,
    )
    assert [token in github_app.user_access.logins for token in [grant.decrypt("access_token").value]] == [True]
    assert b"ghu_" not in b"".join(get_tokens(grant))
    assert list_event_kinds(alice)[-1] == "github_access_granted"
    assert EmailMessage.objects.get(subject="GitHub access was granted").to == alice.email


def test_signing_in_alone_stores_no_token(client: Any, alice: User, github_app: GitHub) -> None:
    SocialAccount.objects.create(
        user=alice, provider="github", uid=str(github_app.request("GET", "/users/alice-gh")["id"])
    )
    client.get(choose_account(github_app, client.post("/accounts/github/login/").url, "alice-gh"))
    assert (client.session["_auth_user_id"], GitHubGrant.objects.count()) == (str(alice.pk), 0)


def test_connecting_needs_a_recent_sign_in(sign_in: Any, alice: User, github_app: GitHub) -> None:
    client = sign_in(alice)
    age_sign_in(client)
    paths = [client.post(f"/profile/github/{button}/").url.partition("?")[0] for button in ("connect", "revoke")]
    assert paths == ["/accounts/reauthenticate/"] * 2


def test_account_of_another_person_is_refused(sign_in: Any, alice: User, bob: User, github_app: GitHub) -> None:
    SocialAccount.objects.create(
        user=bob, provider="github", uid=str(github_app.request("GET", "/users/alice-gh")["id"])
    )
    client = sign_in(alice)
    answer = client.get(choose_account(github_app, client.post("/profile/github/connect/").url, "alice-gh"))
    assert (answer.url, GitHubGrant.objects.count()) == ("/profile/github/", 0)


@pytest.mark.parametrize(("target", "location"), [("/new/", "/new/"), ("https://evil.example/", "/profile/github/")])
def test_connecting_redirects_back(sign_in: Any, alice: User, github_app: GitHub, target: str, location: str) -> None:
    client = sign_in(alice)
    leaves = client.post("/profile/github/connect/", {"next": target})
    assert client.get(choose_account(github_app, leaves.url, "alice-gh")).url == location


def test_expired_token_is_refreshed_once(alice: User, connect: Connect, github_app: GitHub) -> None:
    grant = connect(alice)
    before = get_tokens(grant)
    expire(grant)
    assert (read_secret(grant), read_secret(grant)) == (SECRET.full_name, SECRET.full_name)
    assert [get_tokens(grant)[number] == before[number] for number in (0, 1)] == [False, False]
    assert github_app.requests.count("POST /login/oauth/access_token") == 2  # the code, then the refresh
    assert grant.expires_at is not None
    assert grant.expires_at > timezone.now() + timedelta(hours=7)


def test_token_that_does_not_expire_is_never_refreshed(alice: User, connect: Connect, github_app: GitHub) -> None:
    github_app.user_access.lasts = 0
    grant = connect(alice)
    assert (grant.expires_at, read_secret(grant)) == (None, SECRET.full_name)
    assert github_app.requests.count("POST /login/oauth/access_token") == 1


def test_outage_during_refresh_keeps_the_grant(alice: User, connect: Connect, github_app: GitHub) -> None:
    grant = connect(alice)
    expire(grant)
    github_app.fail("/login/oauth/access_token", 503)
    with pytest.raises(SourceUnavailableError):
        read_secret(grant)
    grant.refresh_from_db()
    assert grant.is_active


def test_refused_refresh_ends_the_grant(alice: User, connect: Connect, github_app: GitHub) -> None:
    grant = connect(alice)
    expire(grant)
    github_app.user_access.revoke_tokens("alice-gh")
    with pytest.raises(services.GrantEndedError, match="Alice Archer can connect GitHub again"):
        read_secret(grant)
    assert get_tokens(grant) == (b"", b"")
    assert (grant.is_active, list_event_kinds(alice)[-1]) == (False, "github_access_rejected")


def test_rejected_token_that_was_replaced_does_not_end_the_grant(alice: User, connect: Connect) -> None:
    grant = connect(alice)
    services.get_access_token(grant, timezone.now())
    other = GitHubGrant.objects.get()
    expire(other)
    services.get_access_token(other, timezone.now())
    with pytest.raises(SourceUnavailableError, match=r"The GitHub access was renewed during the request\."):
        clients.build_rate_limiter(grant).record_response(401, {})
    grant.refresh_from_db()
    assert grant.is_active


def test_rejected_token_ends_the_grant_and_alerts_no_staff(
    alice: User, sam: User, connect: Connect, github_app: GitHub
) -> None:
    grant = connect(alice)
    github_app.user_access.revoke_tokens("alice-gh")
    for _ in range(2):
        with pytest.raises(services.GrantEndedError):
            read_secret(grant)
    grant.refresh_from_db()
    assert (grant.is_active, list_event_kinds(alice).count("github_access_rejected")) == (False, 1)
    assert EmailMessage.objects.filter(to=sam.email).count() == 0
    assert GitHubRateLimit.objects.exclude(disabled_at=None).count() == 0


@pytest.mark.parametrize("is_old", [False, True])
def test_revoked_grant_is_deleted_here_and_at_github(
    alice: User, sign_in: Any, connect: Connect, github_app: GitHub, is_old: bool
) -> None:
    grant = connect(alice)
    read_secret(grant)
    if is_old:
        expire(grant)
    page = sign_in(alice).post("/profile/github/revoke/", follow=True)
    assert "GitHub access revoked." in page.content.decode()
    assert (get_tokens(grant), github_app.user_access.logins) == ((b"", b""), {})
    assert (grant.is_active, list_event_kinds(alice)[-1]) == (False, "github_access_revoked")
    assert HttpCacheEntry.objects.filter(address__startswith=grant.source_name).count() == 0


def test_outage_keeps_no_token(alice: User, sign_in: Any, connect: Connect, github_app: GitHub) -> None:
    grant = connect(alice)
    github_app.fail("/applications/", 503)
    page = sign_in(alice).post("/profile/github/revoke/", follow=True)
    assert f"{github_app.url}/settings/apps/authorizations" in page.content.decode()
    assert (get_tokens(grant), grant.is_active) == ((b"", b""), False)


def test_deactivation_revokes_the_grant(
    alice: User, sam: User, connect: Connect, github_app: GitHub, django_capture_on_commit_callbacks: Any
) -> None:
    grant = connect(alice)
    with django_capture_on_commit_callbacks(execute=True):
        roles.deactivate(alice, actor=sam, now=timezone.now(), reason="Left the company.")
    assert (get_tokens(grant), grant.is_active, github_app.user_access.logins) == ((b"", b""), False, {})


def test_connecting_again_replaces_the_grant(alice: User, connect: Connect) -> None:
    first = connect(alice)
    services.reject_grant(first, timezone.now())
    again = connect(alice)
    assert (again.pk, again.is_active, read_secret(again)) == (first.pk, True, SECRET.full_name)


def test_tokens_follow_a_new_encryption_key(alice: User, connect: Connect, settings: Any) -> None:
    grant = connect(alice)
    settings.ENCRYPTION_KEYS = ["another-key-" * 4, *settings.ENCRYPTION_KEYS]
    results = {result.label: result.changed_count for result in encrypted_fields.rotate_keys()}
    settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS[:1]
    grant.refresh_from_db()
    assert (results["GitHub grants"], read_secret(grant)) == (1, SECRET.full_name)


def test_private_responses_are_cached_for_their_grant_only(
    alice: User, bob: User, connect: Connect, github_app: GitHub
) -> None:
    grant = connect(alice)
    clients.build_grant_client(grant).get_snapshot(SECRET.full_name, "main")
    addresses = HttpCacheEntry.objects.filter(address__contains=SECRET.full_name).values_list("address", flat=True)
    assert {address.split(" ")[0] for address in addresses} == {grant.source_name}
    assert len(addresses) == 2  # the commit and the tree
    for reader in (None, bob):
        with pytest.raises(Exception, match="It doesn't exist or isn't public"):
            clients.find_client(SECRET.full_name, reader).get_repository(SECRET.full_name)


def test_public_repository_is_read_without_the_grant(alice: User, connect: Connect, github_app: GitHub) -> None:
    grant = connect(alice)
    client = clients.find_client(PUBLIC.full_name, alice)
    assert client.get_repository(PUBLIC.full_name).private is False
    assert HttpCacheEntry.objects.filter(address__startswith=grant.source_name).count() == 0
    assert clients.find_client(SECRET.full_name, alice).get_repository(SECRET.full_name).private is True


def test_readable_repositories_are_listed_page_by_page(
    alice: User, connect: Connect, github_app: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verification.sources.github.requester.PAGE_SIZE", 1)
    rows = clients.list_repositories(connect(alice))
    assert [(row.full_name, row.is_private) for row in rows] == [(SECRET.full_name, True), (PUBLIC.full_name, False)]
    assert github_app.requests.count("GET /user/repos") == 2
