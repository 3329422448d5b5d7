"""Tests of sessions with single sign-on: passwords, second factor, invitations, and signing out."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.utils import timezone

from portal.accounts import invitations
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from portal.system_checks import check_group_roles_exist
from tests.conftest import PASSWORD, create_user
from tests.fakes.oidc_provider import OidcProvider
from tests.portal.accounts.sign_in import get_link
from tests.portal.accounts.single_sign_on import NORA, Configure, get_refusal, get_roles, is_signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.mark.parametrize(
    ("is_required", "email", "fields", "expected"),
    [
        (False, NORA, {"is_reviewer": True}, True),
        (True, NORA, {}, False),
        (True, "rita@elsewhere.example", {"is_reviewer": True}, False),
        (True, "alice@elsewhere.example", {}, True),
    ],
)
def test_passwords_are_off_for_staff_if_single_sign_on_is_required(
    provider: OidcProvider, configure: Configure, is_required: bool, email: str, fields: Any, expected: bool
) -> None:
    configure(OIDC_REQUIRED=is_required)
    create_user(email, "Somebody", **fields)
    client = Client()
    answer = client.post("/accounts/login/", {"login": email, "password": PASSWORD})
    assert is_signed_in(client) is expected
    if not expected:
        assert get_refusal(answer) == (403, "Your account requires single sign-on.")


@pytest.mark.parametrize(
    ("values", "location"),
    [
        ({}, "/profile/second-factor/?next=%2Fqueue%2F"),
        ({"OIDC_REQUIRED": True}, "/profile/second-factor/?next=%2Fqueue%2F"),
        ({"OIDC_SECOND_FACTOR": True}, "/profile/second-factor/?next=%2Fqueue%2F"),
        ({"OIDC_REQUIRED": True, "OIDC_SECOND_FACTOR": True}, ""),
    ],
)
def test_second_factor_of_the_provider_counts_only_if_the_settings_say_so(
    provider: OidcProvider, configure: Configure, settings: Any, sam: User, values: Any, location: str
) -> None:
    settings.STAFF_SECOND_FACTOR = "required"
    configure(**values)
    client = Client()
    provider.sign_in(client, "nora")
    answer = client.get("/queue/")
    assert answer.headers.get("Location", "") == location


def test_signing_out_continues_at_the_provider(provider: OidcProvider, configure: Configure, sam: User) -> None:
    configure(OIDC_LOGOUT_URL=f"{provider.issuer}/oauth2/end_session")
    client = Client()
    other = Client()
    provider.sign_in(client, "nora")
    other.post("/accounts/login/", {"login": sam.email, "password": PASSWORD})
    locations = [each.post("/accounts/logout/")["Location"] for each in (client, other)]
    assert locations == [f"{provider.issuer}/oauth2/end_session", "/"]
    assert [is_signed_in(each) for each in (client, other)] == [False, False]


@pytest.mark.parametrize(("with_provider", "expected"), [(False, []), (True, ["reviewer:vault"])])
def test_invitation_requires_single_sign_on_if_the_settings_do(
    provider: OidcProvider, configure: Configure, sam: User, with_provider: bool, expected: list[str]
) -> None:
    configure(OIDC_REQUIRED=True)
    email = NORA if with_provider else "nora@elsewhere.example"
    provider.set_claims("nora", email=NORA, email_verified=True, groups=[])
    client = Client()
    if with_provider:
        provider.sign_in(client, "nora")
    else:
        create_user(email, "Nora Nash")
        client.post("/accounts/login/", {"login": email, "password": PASSWORD})
    invitations.send_invitation(email, ["reviewer:vault"], actor=sam, now=timezone.now())
    answer = client.post(get_link(EmailMessage.objects.get(name="staff_invitation")), follow=True)
    assert get_roles(email) == expected
    assert ("These roles require single sign-on." in answer.content.decode()) is not with_provider


def test_account_is_not_connected_to_another_one(provider: OidcProvider) -> None:
    client = Client()
    mallory = create_user("mallory@acme.example", "Mallory")
    client.post("/accounts/login/", {"login": mallory.email, "password": PASSWORD})
    answer = provider.sign_in(client, "nora", start="/accounts/oidc/sso/login/?process=connect")
    assert (answer.status_code, SocialAccount.objects.count()) == (403, 0)


def test_single_sign_on_is_not_disconnected(provider: OidcProvider, sam: User) -> None:
    client = Client()
    create_user(NORA, "Nora Nash")  # with a password, which would be enough to disconnect GitHub
    provider.sign_in(client, "nora")
    page = client.post("/accounts/3rdparty/", {"account": SocialAccount.objects.get().pk})
    assert ("Your organization manages this account." in page.content.decode(), SocialAccount.objects.count()) == (
        True,
        1,
    )


def test_old_sign_in_is_renewed_at_the_provider(provider: OidcProvider, sam: User) -> None:
    client = Client()
    provider.sign_in(client, "nora")
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()
    page = client.get("/accounts/sign-in-again/").content.decode()
    assert 'action="/accounts/oidc/sso/login/?process=login&amp;auth_params=prompt%3Dlogin"' in page
    provider.sign_in(client, "nora", start="/accounts/oidc/sso/login/?process=login&auth_params=prompt%3Dlogin")
    assert client.get("/accounts/sign-in-again/")["Location"] == "/profile/"


def test_sign_in_page_offers_single_sign_on_only_if_it_is_on(configure: Configure) -> None:
    before = Client().get("/accounts/login/").content
    configure()
    assert [b"Sign in with SSO" in page for page in (before, Client().get("/accounts/login/").content)] == [False, True]


def test_single_sign_on_is_off_without_an_issuer(import_settings: Callable[..., Any]) -> None:
    code = "print(settings.OIDC_GROUP_ROLES, settings.CONTENT_SECURITY_POLICY['DIRECTIVES']['form-action'])"
    logout_url = "https://login.example.com/logout"
    process = import_settings(code, OIDC_GROUP_ROLES="team=wizard:nomad", OIDC_LOGOUT_URL=logout_url)
    assert process.stdout == "{} [\"'self'\", 'https://github.com']\n", process.stderr


def test_unknown_role_in_the_mapping_is_reported(configure: Configure) -> None:
    configure(OIDC_GROUP_ROLES={"team": ("reviewer", "wizard:nomad")})
    assert [error.msg for error in check_group_roles_exist(None)] == ["Unknown role in OIDC_GROUP_ROLES: wizard:nomad."]
