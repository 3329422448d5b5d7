"""Tests of tokens: format, expiration, scopes, owner, and that their secret is not stored."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from integrations.partners import permissions
from integrations.partners.services import members
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.portal import pseudo_language
from tests.portal.api.client import ApiClient, add_second_factor, create_api_client

pytestmark = pytest.mark.any_database

SCOPES = ["integrations:read"]


def get_problem_type(answer: Any) -> str:
    assert answer["Content-Type"] == "application/problem+json"
    return str(answer.json()["type"]).rpartition("#problem-")[2]


def test_secret_has_prefix_and_checksum() -> None:
    secret = tokens.generate_secret()
    assert secret.startswith("ptl_")
    assert len(secret) == 42
    assert tokens.is_well_formed(secret)
    assert not tokens.is_well_formed(secret[:-1] + ("A" if secret[-1] != "A" else "B"))
    assert not tokens.is_well_formed("ptl_" + "x" * 38)


def test_checksum_of_an_empty_text_has_six_zeros() -> None:
    assert tokens.compute_checksum("") == "000000"


def test_missing_token_is_reported(db: None) -> None:
    answer = ApiClient().get("/integrations")
    assert (answer.status_code, get_problem_type(answer)) == (401, "authentication-required")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_unknown_token_is_refused_by_public_operations_too(db: None) -> None:
    assert ApiClient(tokens.generate_secret()).get("/programs").status_code == 401
    assert ApiClient().get("/programs").status_code == 200


def test_personal_token_acts_as_its_user(alice: Any, rocket: Any) -> None:
    mine = create_api_client(alice)
    me = mine.get("/me").json()
    assert me["acts_as"] == "Alice Archer"
    assert [(place["partner"]["slug"], place["role"]) for place in me["partners"]] == [("acme", "owner")]
    assert [row["name"] for row in mine.get("/integrations").json()["items"]] == ["Rocket"]
    assert create_api_client(alice, SCOPES).token.last_used_at is None  # type: ignore[union-attr]
    assert ApiToken.objects.get(pk=mine.token.pk).last_used_at is not None  # type: ignore[union-attr]


def test_token_of_another_partner_finds_nothing(charlie: Any, rocket: Any) -> None:
    other = create_api_client(charlie)
    assert other.get("/integrations").json()["items"] == []
    assert other.get(f"/integrations/{rocket.uuid}").status_code == 404


def test_partner_token_acts_in_its_own_name_and_partner(alice: Any, acme: Any, rocket: Any, globex: Any) -> None:
    ci = create_api_client(alice, partner=acme)
    assert ci.get("/me").json()["acts_as"] == "Acme's token ci"
    response = ci.post(f"/integrations/{rocket.uuid}/messages", {"body": "Tests pass."})
    assert (response.status_code, response.json()["author"]) == (201, "Acme's token ci")
    assert rocket.events.last().actor == "Acme's token ci"
    assert not ci.token.user.has_usable_password()  # type: ignore[union-attr]


def test_partner_token_of_a_viewer_reads_only(alice: Any, acme: Any, rocket: Any) -> None:
    reader = create_api_client(alice, partner=acme, role="viewer")
    assert reader.get(f"/integrations/{rocket.uuid}").status_code == 200
    assert get_problem_type(reader.post(f"/integrations/{rocket.uuid}/messages", {"body": "Hello."})) == "forbidden"


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("token_changes", "days"),
    [({"revoked_at": timezone.now()}, 0), ({"expires_at": timezone.now()}, 0)],
    ids=["revoked", "expired"],
)
def test_expired_or_revoked_token_is_refused(alice: Any, token_changes: dict[str, Any], days: int) -> None:
    mine = create_api_client(alice)
    ApiToken.objects.filter(pk=mine.token.pk).update(**token_changes)  # type: ignore[union-attr]
    assert mine.get("/me").status_code == 401


def test_tokens_of_a_deactivated_user_are_refused(alice: Any, acme: Any) -> None:
    mine = create_api_client(alice)
    ci = create_api_client(alice, partner=acme)
    assert [each.get("/me").status_code for each in (mine, ci)] == [200, 200]
    alice.is_active = False
    alice.save()
    assert [each.get("/me").status_code for each in (mine, ci)] == [401, 401]


def test_token_is_limited_to_its_scopes(alice: Any, rocket: Any) -> None:
    reader = create_api_client(alice, SCOPES)
    assert reader.get("/integrations").status_code == 200
    response = reader.post(f"/integrations/{rocket.uuid}/messages", {"body": "Hello."})
    assert (response.status_code, get_problem_type(response)) == (403, "insufficient-scope")


@pytest.mark.every_database
def test_token_of_the_program_needs_a_second_factor(rita: Any, rocket: Any) -> None:
    hers = create_api_client(rita)
    assert get_problem_type(hers.get("/integrations")) == "mfa-required"
    add_second_factor(rita)
    assert hers.get("/integrations").status_code == 200


@pytest.mark.every_database
def test_no_one_creates_a_token_beyond_their_permissions(alice: Any, bob: Any, acme: Any, now: Any) -> None:
    for by, scopes, days, partner in (
        (bob, SCOPES, 30, acme),
        (alice, ["reviews:write"], 30, None),
        (alice, SCOPES, 366, None),
        (alice, [], 30, None),
        (alice, ["partners:write"], 30, acme),
    ):
        with pytest.raises(ActionRefused):
            tokens.create_token("ci", scopes, days, actor=by, now=now, partner=partner)
    assert ApiToken.objects.count() == 0


def test_person_who_just_ceased_to_be_an_owner_creates_no_partner_token(alice: Any, acme: Any, now: Any) -> None:
    permissions.get_roles(alice)  # read by the page before an owner removes her
    acme.memberships.filter(user=alice).update(ended_at=now)
    with pytest.raises(ActionRefused):
        tokens.create_token("ci", ["integrations:read"], 30, actor=alice, now=now, partner=acme)
    assert ApiToken.objects.count() == 0


def test_secret_is_in_no_row_no_email_and_no_log(
    alice: Any, acme: Any, rocket: Any, sign_in: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = sign_in(alice)
    created = client.post(
        reverse("api:partner_tokens", args=["acme"]),
        {"name": "ci", "scopes": SCOPES, "days": "90", "role": "editor"},
    )
    assert (created.status_code, created["Location"]) == (302, f"/tokens/{ApiToken.objects.get().uuid}/")
    page = client.get(created["Location"])
    secret = next(
        word
        for word in page.content.decode().replace("<", " ").replace(">", " ").split()
        if word.startswith("ptl_") and len(word) == 42
    )
    assert page["Cache-Control"] == "private, no-store"
    reloaded = client.get(created["Location"], follow=True)
    assert reloaded.redirect_chain == [("/company/acme/tokens/", 302)]
    assert "We show a token only once." in reloaded.content.decode()
    assert ApiToken.objects.count() == 1
    mine = ApiClient(secret)
    assert mine.get("/integrations").status_code == 200
    assert mine.post("/nowhere").status_code == 404
    assert secret not in sign_in(alice).get(reverse("api:partner_tokens", args=["acme"])).content.decode()
    assert secret not in caplog.text
    assert all(secret not in f"{mail.text} {mail.html} {mail.subject}" for mail in EmailMessage.objects.all())
    assert secret not in dump_database()


def dump_database() -> str:
    """Return all text in the database."""
    rows = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            rows.append(str(cursor.fetchall()))
    return "".join(rows)


@pytest.mark.every_database
def test_owners_are_notified_of_a_new_token_and_of_its_end(alice: Any, bob: Any, acme: Any) -> None:
    token = create_api_client(alice, partner=acme, days=6).token
    assert [mail.to for mail in EmailMessage.objects.filter(name="token_created")] == ["alice@acme.example"]
    assert tokens.warn_expiring_tokens(timezone.now()) == 1
    assert tokens.warn_expiring_tokens(timezone.now()) == 0
    assert [mail.to for mail in EmailMessage.objects.filter(name="token_expiring")] == ["alice@acme.example"]
    assert token is not None
    assert tokens.warn_expiring_tokens(token.expires_at + timedelta(days=1)) == 0


@pytest.mark.every_database
def test_token_revoked_on_the_page_is_refused(alice: Any, acme: Any, sign_in: Any) -> None:
    ci = create_api_client(alice, partner=acme)
    answer = sign_in(alice).post(reverse("api:revoke_token", args=[ci.token.uuid]))  # type: ignore[union-attr]
    assert answer.status_code == 302
    assert ci.get("/me").status_code == 401
    assert acme.events.last().event_type == "token.revoked"


def test_creating_a_token_requires_reauthentication(alice: Any, client: Any) -> None:
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.post(reverse("api:tokens"), {"name": "ci", "scopes": SCOPES, "days": "90"})
    assert answer.status_code == 302
    assert "reauthenticate" in answer["Location"]
    assert ApiToken.objects.count() == 0


def test_user_of_two_partners_names_the_partner(acme: Any, alice: Any, globex: Any, charlie: Any) -> None:
    create_integration(globex, charlie, name="Hers", repository="globex/x", repository_id=9)
    assert create_api_client(alice, partner=acme).get("/integrations").json()["items"] == []


def test_tokens_end_with_the_manager_role(alice: Any, bob: Any, acme: Any) -> None:
    bobs = acme.memberships.get(user=bob)
    members.change_role(bobs, "owner", actor=alice, now=timezone.now())
    his = create_api_client(bob, partner=acme)
    hers = create_api_client(alice, partner=acme)
    members.change_role(bobs, "editor", actor=alice, now=timezone.now())
    assert (his.get("/me").status_code, hers.get("/me").status_code) == (401, 200)
    assert acme.events.last().event_type == "token.revoked"


def test_expired_token_of_a_former_owner_is_not_revoked_again(alice: Any, bob: Any, acme: Any) -> None:
    bobs = acme.memberships.get(user=bob)
    members.change_role(bobs, "owner", actor=alice, now=timezone.now())
    token = create_api_client(bob, partner=acme).token
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(days=1))  # type: ignore[union-attr]
    members.change_role(bobs, "editor", actor=alice, now=timezone.now())
    assert (ApiToken.objects.get().revoked_at, acme.events.last().event_type) == (None, "member.role_changed")


def test_refusals_are_translated(alice: Any, now: Any) -> None:
    with pseudo_language.activate_pseudo_language(), pytest.raises(ActionRefused) as refusal:
        tokens.create_token("ci", SCOPES, 366, actor=alice, now=now)
    assert str(refusal.value) == "⟦Enter an expiration of 1 to 365 days.⟧"


def test_token_page_tells_program_staff_that_they_need_a_second_factor(alice: Any, rita: Any, sign_in: Any) -> None:
    notice = "Tokens of program staff require two-factor authentication."
    pages = [sign_in(person).get(reverse("api:tokens")).text for person in (alice, rita)]
    assert [notice in page for page in pages] == [False, True]
