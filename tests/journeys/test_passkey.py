"""Passkeys: as the required second factor of a reviewer, and for signing in without a password."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.journeys.person import Person
from tests.journeys.test_second_factor import PASSWORD, sign_in

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def add_authenticator(browser: Person) -> None:
    """Give the browser a platform authenticator, such as a fingerprint reader."""
    devtools = browser.page.context.new_cdp_session(browser.page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


def press_and_authenticate(browser: Person, label: str) -> Person:
    """Press a button whose script opens the next page after the authenticator responds."""
    with browser.page.expect_navigation():
        browser.page.get_by_role("button", name=label, exact=True).click()
    return browser.wait_for_page()


def test_reviewer_sets_up_a_passkey_and_signs_in_with_it(
    visit: Callable[..., Person], rita: Any, settings: Any
) -> None:
    settings.STAFF_SECOND_FACTOR = "required"
    browser = visit()
    add_authenticator(browser)
    browser.go("/queue/").write("Email address", rita.email).write("Password", PASSWORD).press("Sign in")
    browser.sees("Set up two-factor authentication").shot("second-factor-required").press("Add passkey")
    browser.sees("Add a passkey").write("Passkey name", "Laptop")
    press_and_authenticate(browser, "Add passkey").sees("Recovery codes").press("Continue").sees("Queue")

    browser.go("/accounts/2fa/webauthn/").sees("Laptop", "signs you in without a password")
    browser.go("/accounts/logout/").press("Sign out")
    browser.go("/accounts/login/?next=/profile/security/")
    press_and_authenticate(browser, "Sign in with a passkey").sees("Security log", "Two-factor method added", "Passkey")


def test_passkey_is_the_second_factor_after_the_password(visit: Callable[..., Person], alice: Any) -> None:
    browser = visit()
    add_authenticator(browser)
    sign_in(browser, alice)
    browser.go("/accounts/2fa/webauthn/add/")
    browser.page.get_by_label("Use this passkey instead of the password").uncheck()
    press_and_authenticate(browser, "Add passkey").sees("Recovery codes")
    browser.go("/accounts/logout/").press("Sign out")
    sign_in(browser, alice)
    browser.sees("Enter the code")
    press_and_authenticate(browser, "Use passkey").sees("Your integrations")


def test_passkey_button_is_hidden_without_scripts(visit: Callable[..., Person]) -> None:
    browser = visit(javascript=False).go("/accounts/login/")
    expect(browser.page.get_by_text("Sign in with a passkey")).to_be_hidden()
