"""Sign-up with a confirmed address and a new company, password reset, and profile."""

from collections.abc import Callable
from typing import Any

from portal.notifications.models import EmailMessage
from tests.journeys.conftest import find_link
from tests.journeys.person import Person

FindEmail = Callable[..., EmailMessage]


def sign_up(browser: Person, find_email: FindEmail, name: str, address: str) -> None:
    """Create an account on the sign-up page and confirm its address."""
    browser.write("Your name", name).write("Email address", address).write("Password", "a long one to remember")
    browser.press("Create account").sees("We sent you a confirmation link.")
    browser.go(find_link(find_email(address, "confirm_address"), "confirm-email")).press("Confirm email address")


def test_person_signs_up_and_creates_a_company(visit: Callable[..., Person], find_email: FindEmail, db: Any) -> None:
    dora = visit()
    dora.go("/").press("Create account")
    dora.write("Your name", "Dora Dean").write("Email address", "dora@initech.example").write("Password", "short")
    dora.press("Create account").sees("This password is too short.")
    sign_up(dora, find_email, "Dora Dean", "dora@initech.example")
    dora.sees("dora@initech.example is confirmed.", "Create a company")
    dora.write("Company name", "<b>Initech</b>").press("Create company").sees("Enter plain text without HTML.")
    dora.write("Company name", "Initech").write("Website", "initech.example").press("Create company")
    dora.sees("Initech created. You are its owner.", "Invite a member").shot("company")
    dora.go("/").sees("No integrations yet")


def test_password_is_reset_and_changed_on_a_phone_without_scripts(
    visit: Callable[..., Person], find_email: FindEmail, alice: Any
) -> None:
    phone = visit(phone=True, javascript=False)
    phone.go("/accounts/login/").write("Email address", alice.email).write("Password", "forgotten").press("Sign in")
    phone.sees("The email address or password is incorrect.")
    phone.press("Forgot your password?").write("Email address", alice.email).press("Send reset link")
    phone.sees("we sent it a link to choose a new password")
    phone.go(find_link(find_email(alice.email, "reset_password"), "/password/reset/"))
    phone.write("New password", "another long one").write("Confirm password", "another long one")
    phone.press("Save password").sees("Password saved").press("Sign in")
    phone.write("Email address", alice.email).write("Password", "another long one").press("Sign in")
    phone.sees("Your integrations").go("/accounts/password/change/").write("Current password", "another long one")
    phone.write("New password", "a third long one").write("Confirm password", "a third long one")
    phone.press("Change password").sees("Password changed")


def test_person_changes_their_name_and_time_zone(visit: Callable[..., Person], alice: Any) -> None:
    browser = visit(alice)
    browser.go("/profile/").write("Your name", "Alice A. Archer").choose("Time zone", "Europe/Berlin").press(
        "Save profile"
    )
    browser.sees("Profile saved.").shot("profile")
    browser.go("/accounts/email/").sees("alice@acme.example", "Primary")


def test_button_outside_its_form_submits_once(visit: Callable[..., Person], alice: Any) -> None:
    browser = visit(alice).go("/accounts/email/")
    browser.page.evaluate(
        """window.sent = 0;
        addEventListener("submit", (event) => {
          if (!event.defaultPrevented) window.sent += 1;
          event.preventDefault();
        })"""
    )
    browser.page.get_by_role("button", name="Make primary").dblclick()
    assert browser.page.evaluate("window.sent") == 1
