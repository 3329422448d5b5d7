"""Two-factor authentication: setup, sign-in, and recovery without the phone."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import time_machine
from django.utils import timezone

from tests.conftest import PASSWORD
from tests.journeys.person import Person
from tests.portal.accounts.sign_in import generate_code


def sign_in(browser: Person, user: Any) -> None:
    browser.go("/accounts/login/").write("Email address", user.email).write("Password", PASSWORD).press("Sign in")


def test_second_factor_is_set_up_used_and_replaced_by_a_recovery_code(visit: Callable[..., Person], alice: Any) -> None:
    browser = visit()
    sign_in(browser, alice)
    browser.go("/profile/").press("Off").sees("Two-factor authentication").press("Set up")
    secret = browser.page.locator("main code").first.inner_text()
    browser.shot("second-factor")
    browser.write("Code", "000000").press("Turn on").sees("Incorrect code.")
    browser.write("Code", generate_code(secret)).press("Turn on").sees("10 of 10 recovery codes left.")
    recovery = browser.page.locator("main ul code").first.inner_text()

    with time_machine.travel(timezone.now() + timedelta(minutes=1), tick=True):
        stranger = visit()
        sign_in(stranger, alice)
        stranger.sees("Enter the code").go("/profile/").sees("Enter the code")
        stranger.write("Code", generate_code(secret)).press("Sign in").sees("Your integrations")

        without_phone = visit()
        sign_in(without_phone, alice)
        without_phone.write("Code", recovery).press("Sign in").sees("Your integrations")
        without_phone.go("/accounts/2fa/").sees("9 recovery codes left.").press("Turn off authenticator app")
        without_phone.sees("you'll sign in with only your password").press("Turn off authenticator app")
        without_phone.sees("Two-factor authentication is off.")

    again = visit()
    sign_in(again, alice)
    again.sees("Your integrations")
