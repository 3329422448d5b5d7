"""Tests of forms kept across a sign-in: only their author gets them back."""

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.core import crypto
from portal.core.unsent_forms import AUTHOR_COOKIE, COOKIE, EXCLUDED_FIELDS, MAX_CHARACTERS
from tests.conftest import PASSWORD

pytestmark = pytest.mark.any_database

COMPANY_PAGE = "/company/acme/change/"
TOKENS_PAGE = "/profile/tokens/"
FIELDS = {"name": "Acme Rockets", "website": "https://acme.example"}


def create_checked_client(user: Any = None) -> Client:
    """Return a client with the CSRF cookie whose requests are checked like a browser's."""
    client = Client(enforce_csrf_checks=True)
    client.get("/accounts/login/")
    if user is not None:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def get_csrf_token(client: Client) -> dict[str, str]:
    return {"csrfmiddlewaretoken": client.cookies["csrftoken"].value}


def read_name(client: Client) -> tuple[str, bool]:
    """Return the name in the form of the company, and whether the page says that it isn't saved."""
    page = client.get(COMPANY_PAGE)
    return page.context["form"]["name"].value(), "This is your input from before you signed in." in page.text


def sign_in(client: Client, user: Any) -> None:
    client.get("/accounts/login/")
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD} | get_csrf_token(client))


def submit_after_session_expired(user: Any) -> Client:
    """Return a browser in which a user submitted a form after the session had expired."""
    client = create_checked_client(user)
    client.get(TOKENS_PAGE)
    del client.cookies["sessionid"]
    fields = {"name": "Nightly build", "scopes": ["profile:read"], "days": "30"}
    assert client.post(TOKENS_PAGE, fields | get_csrf_token(client)).status_code == 302
    return client


def test_form_sent_without_session_is_restored_once_after_sign_in(alice: Any) -> None:
    client = create_checked_client()
    answer = client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client))
    assert answer["Location"] == f"/accounts/login/?next={COMPANY_PAGE}"
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD} | get_csrf_token(client))
    assert [read_name(client), read_name(client)] == [("Acme Rockets", True), ("Acme", False)]


def test_sign_in_page_says_that_the_form_is_kept(alice: Any) -> None:
    notice = "Your input is kept. Sign in to restore it."
    client = create_checked_client()
    login = client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client))["Location"]
    wrong = {"login": alice.email, "password": "wrong", "next": COMPANY_PAGE}
    pages = [
        client.get(login),
        client.get(login.replace("login", "signup")),
        client.post("/accounts/login/", wrong | get_csrf_token(client)),
        client.get("/accounts/login/?next=/profile/"),
        Client().get(login),
    ]
    assert [notice in page.text for page in pages] == [True, True, True, False, False]


def test_form_sent_by_htmx_without_session_is_restored_after_sign_in(alice: Any) -> None:
    client = create_checked_client()
    answer = client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client), headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == f"/accounts/login/?next={COMPANY_PAGE}"
    sign_in(client, alice)
    assert read_name(client) == ("Acme Rockets", True)


def submit_and_sign_in_again(user: Any, page: str, fields: dict[str, str]) -> Any:
    """Return the page that a user sees who submitted a form after the session had expired, and signed in again."""
    client = create_checked_client()
    answer = client.post(page, fields | get_csrf_token(client))
    assert answer["Location"] == f"/accounts/login/?next={page}"
    sign_in(client, user)
    response = client.get(page)
    assert response.status_code == 200
    return response


def test_profile_is_restored(alice: Any) -> None:
    form = submit_and_sign_in_again(alice, "/profile/", {"name": "Alice A.", "zone": "Asia/Tokyo"}).context["form"]
    assert (form["name"].value(), form["zone"].value()) == ("Alice A.", "Asia/Tokyo")


def test_long_forms_of_a_listed_integration_are_restored(integration_at: Any, alice: Any) -> None:
    uuid = integration_at("support", program="terraform-provider").uuid
    labels = submit_and_sign_in_again(alice, f"/integrations/{uuid}/label-policy/", {"critical": "sev-0"})
    assert labels.context["form"]["critical"].value() == "sev-0"
    test = submit_and_sign_in_again(alice, f"/integrations/{uuid}/tests/provider-lifecycle/", {"base": "resource"})
    assert test.context["form"]["base"].value() == "resource"
    calendar = submit_and_sign_in_again(alice, "/company/acme/calendar/", {"zone": "Asia/Tokyo"})
    assert calendar.context["form"]["zone"].value() == "Asia/Tokyo"
    reply = submit_and_sign_in_again(alice, f"/directory/{uuid}/reply/", {"text": "We hired two people."})
    assert reply.context["form"]["text"].value() == "We hired two people."


def test_restored_forms_of_reviewers_are_no_errors(rita: Any) -> None:
    profile = submit_and_sign_in_again(rita, "/queue/profile/", {"max_open_reviews": "3"})
    assert profile.context["form"]["max_open_reviews"].value() == "3"
    absence = submit_and_sign_in_again(rita, f"/queue/reviewers/{rita.pk}/absence/", {"away_from": "2026-05-04"})
    assert absence.context["form"]["away_from"].value() == "2026-05-04"
    view = submit_and_sign_in_again(rita, "/saved-views/save/integrations/", {"name": "Mine", "query": "stage=review"})
    assert (view.context["form"]["name"].value(), view.context["query"]) == ("Mine", "stage=review")


@pytest.mark.parametrize(
    ("action", "is_by_partner", "labels"),
    [
        ("edit", False, ("Requested change", "Save finding")),
        ("reply", True, ("Reply", "Send reply")),
        ("reopen", False, ("Reason", "Reopen with this reason")),
    ],
)
def test_text_about_a_finding_is_restored_with_its_button(
    integration_at: Any, alice: Any, rita: Any, action: str, is_by_partner: bool, labels: tuple[str, str]
) -> None:
    rocket = integration_at("review")
    requirement = rocket.edition.list_requirements()[0].id
    finding = findings.raise_finding(rocket, requirement, "Fix it.", actor=rita, now=timezone.now())
    if action != "edit":
        perform_transition(rocket, "request_changes", actor=rita, now=timezone.now())
    user = alice if is_by_partner else rita
    page = submit_and_sign_in_again(user, f"/findings/{finding.pk}/{action}/", {"text": "See the log."})
    field = page.context["form"]["text"]
    assert (field.value(), field.label, page.context["label"]) == ("See the log.", *labels)


def test_cross_site_post_neither_signs_out_nor_stores_a_form(alice: Any) -> None:
    client = create_checked_client(alice)
    session = client.cookies.pop("sessionid")  # SameSite=Lax: another site's form comes without cookies
    token = client.cookies.pop("csrftoken")
    answer = client.post(
        COMPANY_PAGE, FIELDS, headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    )
    assert (answer.status_code, {"sessionid", COOKIE} & set(answer.cookies)) == (403, set())
    client.cookies["sessionid"] = session.value
    client.cookies["csrftoken"] = token.value
    assert read_name(client) == ("Acme", False)


def test_cross_site_post_with_cookies_is_refused_by_its_origin(alice: Any) -> None:
    client = create_checked_client()
    answer = client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client), headers={"Origin": "https://evil.example"})
    assert (answer.status_code, COOKIE in answer.cookies) == (403, False)


def test_forged_cookie_restores_nothing(alice: Any) -> None:
    author = create_checked_client()
    other = create_checked_client(alice)
    author.post(COMPANY_PAGE, FIELDS | get_csrf_token(author))
    signed = author.cookies[COOKIE].value
    other.cookies[COOKIE] = f"another-key:{signed.partition(':')[2]}"
    assert read_name(other) == ("Acme", False)


@pytest.mark.parametrize(("who", "is_given"), [("alice", True), ("charlie", False)])
def test_form_of_an_expired_session_is_restored_to_its_author_only(
    request: pytest.FixtureRequest, alice: Any, who: str, is_given: bool
) -> None:
    client = submit_after_session_expired(alice)
    sign_in(client, request.getfixturevalue(who))
    assert ("Nightly build" in client.get(TOKENS_PAGE).text) is is_given


def test_form_is_deleted_when_someone_else_signs_in(alice: Any, charlie: Any) -> None:
    client = submit_after_session_expired(alice)
    sign_in(client, charlie)
    client.post("/accounts/logout/", get_csrf_token(client))
    sign_in(client, alice)
    assert "Nightly build" not in client.get(TOKENS_PAGE).text


def test_form_of_another_user_is_deleted_when_its_page_is_opened(alice: Any, charlie: Any) -> None:
    client = submit_after_session_expired(alice)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    assert "Nightly build" not in client.get(TOKENS_PAGE).text
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert "Nightly build" not in client.get(TOKENS_PAGE).text


def test_public_page_does_not_name_the_author(alice: Any) -> None:
    client = create_checked_client(alice)
    client.get("/feeds/directory.json")
    assert AUTHOR_COOKIE not in client.cookies


def test_forms_create_no_session_and_are_limited(db: None) -> None:
    cookie_count = 0
    for _ in range(15):
        client = create_checked_client()
        cookie_count += COOKIE in client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client)).cookies
    assert (cookie_count, Session.objects.count()) == (10, 0)


@pytest.mark.parametrize(("length", "is_kept"), [(100, True), (MAX_CHARACTERS, False)])
def test_form_is_stored_up_to_the_limit(db: None, length: int, is_kept: bool) -> None:
    client = create_checked_client()
    answer = client.post(COMPANY_PAGE, {"name": "x" * length} | get_csrf_token(client))
    assert (COOKIE in answer.cookies) is is_kept


def test_cookie_is_for_this_site_only(db: None) -> None:
    client = create_checked_client()
    cookie = client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client)).cookies[COOKIE]
    assert (cookie["samesite"], cookie["httponly"]) == ("Lax", True)


@pytest.mark.parametrize("field", sorted(EXCLUDED_FIELDS - {"csrfmiddlewaretoken"}))
def test_secrets_are_never_stored(db: None, field: str) -> None:
    client = create_checked_client()
    client.post(COMPANY_PAGE, FIELDS | {field: "hunter2"} | get_csrf_token(client))
    key = client.cookies[COOKIE].value.partition(":")[0]
    encrypted_fields = cache.get(f"{COOKIE}:{key}")["fields"]
    assert QueryDict(crypto.decrypt(encrypted_fields, f"{COOKIE}:{key}").value).dict() == FIELDS


def test_autosave_without_session_stores_nothing(db: None) -> None:
    client = create_checked_client()
    answer = client.post(COMPANY_PAGE, FIELDS | get_csrf_token(client), headers={"X-Requested-With": "autosave"})
    assert COOKIE not in answer.cookies
