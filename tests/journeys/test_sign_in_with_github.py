"""Sign-in with GitHub: new and existing accounts, second factor, and outages."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import settings as django_settings

from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import PASSWORD
from tests.fakes.github.server import GitHub
from tests.journeys.person import Person
from tests.portal.accounts.sign_in import generate_code

pytestmark = pytest.mark.github
Visit = Callable[..., Person]
DORA = {"login": "dora", "name": "Dora Dean", "email": "dora@initech.example"}
ALICE = {"login": "alice-archer", "name": "Alice at home", "email": "alice@acme.example"}


@pytest.fixture
def github_app(github_sign_in: GitHub, settings: Any) -> GitHub:
    """The GitHub stand-in with two people, allowed as a target of forms."""
    policy = django_settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {
        "DIRECTIVES": policy | {"form-action": [*policy["form-action"], github_sign_in.url]}
    }
    github_sign_in.seed(people=(DORA, ALICE))
    return github_sign_in


def authorize_at_github(browser: Person, login: str) -> Person:
    """Select the person on the page of the GitHub stand-in, which is not audited."""
    browser.page.wait_for_url("**/login/oauth/authorize**")
    browser.page.get_by_role("button", name=login).click()
    browser.page.wait_for_url(f"{browser.base_url}/**")
    return browser.wait_for_page()


def sign_in_with_github(browser: Person, login: str, label: str = "Sign in with GitHub") -> Person:
    browser.page.get_by_role("button", name=label).click()
    return authorize_at_github(browser, login)


def test_person_signs_up_and_in_with_github(visit: Visit, github_app: GitHub) -> None:
    dora = visit()
    dora.go("/accounts/signup/").shot("sign-up")
    sign_in_with_github(dora, "dora", "Sign up with GitHub").sees("Create a company")
    dora.go("/profile/").sees("dora@initech.example", "Set password")
    again = visit()
    sign_in_with_github(again.go("/accounts/login/"), "dora").sees("Create a company")
    assert list(User.objects.values_list("name", "email")) == [("Dora Dean", "dora@initech.example")]


def test_github_signs_in_to_the_account_with_the_same_verified_address(
    visit: Visit, github_app: GitHub, alice: Any
) -> None:
    browser = visit()
    sign_in_with_github(browser.go("/accounts/login/?next=/company/"), "alice-archer").sees("Acme", "Alice Archer")
    assert User.objects.get() == alice
    email = EmailMessage.objects.get()
    assert (email.to, email.subject) == (alice.email, "Sign-in method added")


def test_second_factor_is_required_after_github(visit: Visit, github_app: GitHub, alice: Any) -> None:
    TOTP.activate(alice, "JBSWY3DPEHPK3PXP")
    browser = visit()
    sign_in_with_github(browser.go("/accounts/login/"), "alice-archer").sees("Enter the code")
    browser.write("Code", generate_code("JBSWY3DPEHPK3PXP")).press("Sign in").sees("Your integrations")


def test_github_account_is_connected_and_disconnected(visit: Visit, github_app: GitHub, alice: Any) -> None:
    browser = visit()
    browser.go("/accounts/login/").write("Email address", alice.email).write("Password", PASSWORD).press("Sign in")
    browser.go("/accounts/3rdparty/").sees("No GitHub account connected")
    sign_in_with_github(browser, "dora", "Connect GitHub account")
    browser.sees("GitHub account connected.")
    browser.open_dialog("Disconnect account").sees("Disconnect account: dora").press("Disconnect account")
    browser.sees("GitHub account disconnected.", "No GitHub account connected")


@pytest.mark.parametrize(
    ("path", "failure"),
    [("/login/oauth/access_token", 502), ("/user$", 500), ("/user$", "garbage"), ("/user$", "cut"), ("/emails$", 503)],
)
def test_outage_at_github_is_explained(visit: Visit, github_app: GitHub, path: str, failure: int | str) -> None:
    github_app.fail(path, failure)
    browser = visit()
    sign_in_with_github(browser.go("/accounts/login/"), "dora").sees(
        "Sign-in failed", "Try again, or sign in with your password."
    )
    assert User.objects.count() == 0


def test_password_works_during_an_outage_at_github(visit: Visit, github_app: GitHub, alice: Any) -> None:
    github_app.fail("/login/oauth/access_token", 502)
    browser = visit()
    sign_in_with_github(browser.go("/accounts/login/"), "alice-archer").press("Sign in")
    browser.write("Email address", alice.email).write("Password", PASSWORD).press("Sign in").sees("Your integrations")
