"""Tests of single sign-on against a real OpenID Connect provider: accounts, roles from groups, and refusals."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from portal.accounts import roles
from portal.accounts.models import SecurityEvent, User
from portal.accounts.role_names import list_roles
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, create_user
from tests.fakes.oidc_provider import START, OidcProvider
from tests.portal.accounts.single_sign_on import GROUPS, NORA, Configure, get_refusal, get_roles, is_signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def test_first_sign_in_creates_the_account_with_the_roles_of_its_groups(provider: OidcProvider, sam: User) -> None:
    client = Client()
    answer = provider.sign_in(client, "nora")
    user = User.objects.get(email=NORA)
    assert (answer.status_code, is_signed_in(client)) == (302, True)
    assert (user.name, user.has_usable_password(), list_roles(user)) == (
        "Nora Nash",
        False,
        ["manager:nomad", "reviewer:nomad"],
    )
    assert list(user.emailaddress_set.values_list("email", "verified")) == [(NORA, True)]
    event = AuditEvent.objects.get(event_type="account.roles_changed")
    assert (event.actor, event.note, event.data["roles"]) == (
        "",
        "Groups from single sign-on.",
        "+manager:nomad, +reviewer:nomad",
    )
    emails = [
        (email.to, email.subject)
        for email in EmailMessage.objects.filter(name__in=["account_changed", "person_changed"])
    ]
    assert sorted(emails) == [(NORA, "Your roles were changed"), (sam.email, "Roles changed: Nora Nash")]
    assert SecurityEvent.objects.get(kind="roles_changed").actor == "single sign-on"


def test_existing_account_is_found_by_its_address(provider: OidcProvider, sam: User) -> None:
    user = create_user(NORA, "Nora Nash")
    provider.sign_in(Client(), "nora")
    assert list(SocialAccount.objects.values_list("user", "provider")) == [(user.pk, "sso")]
    kinds = list(SecurityEvent.objects.filter(user=user).values_list("kind", flat=True))
    assert sorted(kinds) == ["roles_changed", "signed_in", "single_sign_on_connected"]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["nomad"], ["reviewer:vault", "manager:nomad", "reviewer:nomad"]),
        (["reviewers", "nomad", "unknown"], ["reviewer", "manager:nomad"]),
        ([], ["reviewer:vault"]),
        ("operators", ["staff", "superuser", "reviewer:vault"]),
    ],
)
def test_changed_groups_change_only_the_mapped_roles(
    provider: OidcProvider, sam: User, groups: Any, expected: list[str]
) -> None:
    provider.sign_in(Client(), "nora")
    user = User.objects.get(email=NORA)
    roles.change_roles(user, grant=["reviewer:vault"], actor=sam, now=NOW, reason="Helps out")
    provider.set_claims("nora", email=NORA, groups=groups)
    provider.sign_in(Client(), "nora")
    assert sorted(get_roles(NORA)) == sorted(expected)
    count = AuditEvent.objects.count()
    provider.sign_in(Client(), "nora")
    assert AuditEvent.objects.count() == count  # the same groups change nothing


@pytest.mark.parametrize(
    ("values", "expected"),
    [({}, ["manager:nomad", "reviewer:nomad"]), ({"OIDC_OMITS_EMPTY_GROUPS": True}, [])],
)
def test_missing_groups_revoke_roles_only_if_the_settings_say_so(
    provider: OidcProvider, configure: Configure, sam: User, values: Any, expected: list[str]
) -> None:
    provider.sign_in(Client(), "nora")
    configure(**values)
    provider.set_claims("nora", email=NORA)
    client = Client()
    answer = provider.sign_in(client, "nora")
    assert (is_signed_in(client), get_roles(NORA)) == (not expected, expected)
    if expected:
        assert get_refusal(answer) == (
            403,
            "Your organization didn't send your groups. Ask the operator to check the groups claim.",
        )


@pytest.mark.parametrize("claims", [{}, {"groups": 7}])  # the second isn't a list of names
def test_missing_groups_let_people_without_mapped_roles_sign_in(provider: OidcProvider, claims: dict[str, Any]) -> None:
    provider.set_claims("nora", email=NORA, **claims)
    client = Client()
    provider.sign_in(client, "nora")
    assert (is_signed_in(client), get_roles(NORA)) == (True, [])


@pytest.mark.parametrize("groups", [["nomad"], ["auditors"]])
def test_last_administrator_keeps_the_role_and_gets_an_email(provider: OidcProvider, groups: list[str]) -> None:
    provider.set_claims("nora", email=NORA, groups=["operators"])
    provider.sign_in(Client(), "nora")
    EmailMessage.objects.all().delete()
    provider.set_claims("nora", email=NORA, groups=groups)
    client = Client()
    provider.sign_in(client, "nora")
    expected = ["superuser", *(["manager:nomad", "reviewer:nomad"] if groups == ["nomad"] else [])]
    assert (is_signed_in(client), sorted(get_roles(NORA))) == (True, sorted(expected))
    assert "You are the last administrator and keep the role" in list(
        EmailMessage.objects.values_list("subject", flat=True)
    )
    assert AuditEvent.objects.get(event_type="account.administrator_kept").data["name"] == NORA


def test_second_administrator_loses_the_role(provider: OidcProvider, sam: User) -> None:
    provider.set_claims("nora", email=NORA, groups=["operators"])
    provider.sign_in(Client(), "nora")
    provider.set_claims("nora", email=NORA, groups=["nomad"])
    provider.sign_in(Client(), "nora")
    assert get_roles(NORA) == ["manager:nomad", "reviewer:nomad"]


def test_changed_mapping_changes_the_roles(provider: OidcProvider, configure: Configure, sam: User) -> None:
    provider.sign_in(Client(), "nora")
    configure(OIDC_GROUP_ROLES=GROUPS | {"nomad": ("reviewer:nomad",), "other": ("manager:nomad",)})
    provider.sign_in(Client(), "nora")
    assert get_roles(NORA) == ["reviewer:nomad"]


@pytest.mark.parametrize(
    ("claims", "refusal"),
    [
        (
            {"email": "mallory@evil.example", "email_verified": True},
            "Your email address is not in a domain that can use single sign-on. Contact the operator.",
        ),
        ({}, "Your email address is not in a domain that can use single sign-on. Contact the operator."),
        (
            {"email": "sam@program.example", "email_verified": False},
            "Your organization has not verified your email address. Contact its help desk.",
        ),
    ],
)
def test_untrusted_address_is_refused_before_the_account_lookup(
    provider: OidcProvider, sam: User, claims: dict[str, Any], refusal: str
) -> None:
    provider.set_claims("mallory", groups=["operators"], **claims)
    client = Client()
    assert get_refusal(provider.sign_in(client, "mallory")) == (403, refusal)
    assert (is_signed_in(client), User.objects.count(), SocialAccount.objects.count()) == (False, 1, 0)


@pytest.mark.parametrize(
    ("claims", "refusal"),
    [
        (
            {"groups": ["auditors", "reviewers"]},
            "Auditors have read-only access and no other roles. Revoke the other roles first.",
        ),
        (
            {"_claim_names": {"groups": "src1"}},
            "Your organization sends too many groups. Ask the operator to limit the groups claim.",
        ),
    ],
)
def test_groups_that_give_no_roles_refuse_the_sign_in(
    provider: OidcProvider, sam: User, claims: dict[str, Any], refusal: str
) -> None:
    provider.set_claims("nora", email=NORA, **claims)
    client = Client()
    assert get_refusal(provider.sign_in(client, "nora")) == (403, refusal)
    assert (is_signed_in(client), get_roles(NORA)) == (False, [])


def test_person_whom_the_provider_refuses_is_not_signed_in(provider: OidcProvider) -> None:
    client = Client()
    state = parse_qs(urlsplit(client.post(START)["Location"]).query)["state"][0]
    answer = client.get(f"{START}callback/", {"error": "access_denied", "state": state})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/3rdparty/login/cancelled/")
    assert (is_signed_in(client), User.objects.count()) == (False, 0)


def test_forged_code_is_refused_with_a_message_about_the_organization(provider: OidcProvider) -> None:
    client = Client()
    state = parse_qs(urlsplit(client.post(START)["Location"]).query)["state"][0]
    answer = client.get(f"{START}callback/", {"code": "forged", "state": state})
    assert (answer.status_code, "Your organization refused the sign-in" in answer.content.decode()) == (401, True)
    assert not is_signed_in(client)


def test_deactivated_account_cannot_sign_in(provider: OidcProvider, sam: User) -> None:
    provider.sign_in(Client(), "nora")
    roles.deactivate(User.objects.get(email=NORA), actor=sam, now=NOW, reason="Left")
    client = Client()
    assert provider.sign_in(client, "nora")["Location"] == "/accounts/inactive/"
    assert not is_signed_in(client)
