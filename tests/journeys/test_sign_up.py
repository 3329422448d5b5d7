"""A person comes for the first time: an account, a confirmed address, a company."""

from collections.abc import Callable
from typing import Any

from portal.models import Email
from tests.journeys.conftest import link_in
from tests.journeys.person import Person

MailTo = Callable[..., Email]


def sign_up(browser: Person, mail_to: MailTo, name: str, address: str) -> None:
    """From the form to the confirmed address."""
    browser.write("Your name", name).write("Mail address", address).write("Password", "a long one to remember")
    browser.press("Create the account").sees("A mail is on its way to you.")
    browser.go(link_in(mail_to(address, "confirm_address"), "confirm-email")).press("Confirm the address")


def test_a_person_signs_up_and_creates_the_company(visit: Callable[..., Person], mail_to: MailTo, db: Any) -> None:
    dora = visit()
    dora.go("/").press("Create an account")
    dora.write("Your name", "Dora Dean").write("Mail address", "dora@initech.example").write("Password", "short")
    dora.press("Create the account").sees("This password is too short.")
    sign_up(dora, mail_to, "Dora Dean", "dora@initech.example")
    dora.sees("dora@initech.example is confirmed.", "Create a company")
    dora.write("Company name", "<b>Initech</b>").press("Create the company").sees("Write plain text, without HTML.")
    dora.write("Company name", "Initech").write("Website", "initech.example").press("Create the company")
    dora.sees("Initech is here now, and you are its owner.", "Invite a colleague").shot("company")
    dora.go("/").sees("No integrations yet")


def test_a_forgotten_password_is_replaced_on_a_phone_without_scripts(
    visit: Callable[..., Person], mail_to: MailTo, alice: Any
) -> None:
    phone = visit(phone=True, javascript=False)
    phone.go("/accounts/login/").write("Mail address", alice.email).write("Password", "forgotten").press("Sign in")
    phone.sees("The email address or password is incorrect.")
    phone.press("Forgot your password?").write("Mail address", alice.email).press("Send me the link")
    phone.sees("a link to choose a new password is on its way")
    phone.go(link_in(mail_to(alice.email, "reset_password"), "/password/reset/"))
    phone.write("Password", "another long one").write("Password, again", "another long one")
    phone.press("Save the password").sees("The new password is saved").press("Sign in")
    phone.write("Mail address", alice.email).write("Password", "another long one").press("Sign in")
    phone.sees("Your integrations")


def test_a_person_changes_how_they_are_called_and_when_it_is(visit: Callable[..., Person], alice: Any) -> None:
    browser = visit(alice)
    browser.go("/profile/").write("Your name", "Alice A. Archer").choose("Time zone", "Europe/Berlin").press("Save")
    browser.sees("Your profile is saved.").shot("profile")
    browser.go("/accounts/email/").sees("alice@acme.example", "Main address")
