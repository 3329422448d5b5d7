"""Nothing typed is lost: at sign-up, at a time-out, at a slip of the pen, with a colleague, with two at once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Route, expect

from integrations.partners.models import Partner
from integrations.submissions.models import Integration, IntegrationDraft
from integrations.submissions.services import drafts
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, PASSWORD
from tests.journeys.person import Person
from tests.journeys.test_sign_up import sign_up

Visit = Callable[..., Person]
DRAFT_VALUES = {
    "Repository": "https://github.com/acme/nomad-driver-rocket",
    "Name": "Rocket driver",
    "What it does": "Runs workloads on rockets.",
}


def type_it(browser: Person) -> Person:
    """Everything that the form asks for."""
    for label, text in DRAFT_VALUES.items():
        browser.write(label, text)
    return browser.tick("Container Runtime").tick("Open Source")


def holds_it(browser: Person, **other: str) -> Person:
    """Everything that was typed is in its field."""
    for label, text in (DRAFT_VALUES | other).items():
        browser.holds(label, text)
    expect(browser.page.get_by_label("Container Runtime").first).to_be_checked()
    expect(browser.page.get_by_label("Open Source").first).to_be_checked()
    return browser


def sign_in(browser: Person, address: str) -> Person:
    return browser.write("Email address", address).write("Password", PASSWORD).press("Sign in")


@pytest.fixture
def complete_draft(acme: Partner, alice: Any) -> IntegrationDraft:
    """A draft in which Alice typed everything."""
    draft = drafts.create_draft(acme, "nomad", actor=alice, now=NOW)
    data = {
        "repository_address": DRAFT_VALUES["Repository"],
        "name": DRAFT_VALUES["Name"],
        "description": DRAFT_VALUES["What it does"],
        "category": "container-runtime",
        "offerings": ["Open Source"],
    }
    return drafts.save_draft(draft, data, version=0, actor=alice, now=NOW)


def test_what_a_visitor_entered_is_there_after_signing_up(
    visit: Visit, mail_to: Callable[..., EmailMessage], db: Any
) -> None:
    dora = visit()
    type_it(dora.go("/programs/choose/nomad/")).press("Create an account and go on")
    sign_up(dora, mail_to, "Dora Dean", "dora@initech.example")
    dora.write("Company name", "Initech").press("Create the company")
    holds_it(dora.sees("Here is what you typed before you signed in")).press("Go on").sees("What is sent")
    dora.press("Begin the integration").sees("Rocket driver")
    row = Integration.objects.get()
    assert (row.name, row.partner.name, row.description) == ("Rocket driver", "Initech", DRAFT_VALUES["What it does"])


def test_what_a_visitor_with_an_account_entered_is_there_after_signing_in(visit: Visit, alice: Any) -> None:
    browser = visit(phone=True, javascript=False)
    type_it(browser.go("/programs/choose/nomad/")).press("I have an account: sign in and go on")
    holds_it(sign_in(browser, alice.email)).press("Go on").sees("What is sent", "Rocket driver")


def test_draft_saves_itself_and_survives_the_end_of_the_session(visit: Visit, alice: Any) -> None:
    browser = visit(alice).go("/programs/nomad/").press("Begin")
    type_it(browser).sees("Saved just now").shot("draft")
    browser.go("/").press("Rocket driver")
    holds_it(browser)
    browser.page.context.clear_cookies(name=django_settings.SESSION_COOKIE_NAME)
    browser.write("What it does", "Runs workloads on rockets and boosters.")
    browser.sees("Not saved. You are signed out").press("Look it over")
    sign_in(browser, alice.email).sees("Here is what you typed before you were signed out")
    holds_it(browser, **{"What it does": "Runs workloads on rockets and boosters."})
    browser.press("Look it over").sees("Runs workloads on rockets and boosters.")


def test_slip_of_the_pen_loses_nothing(visit: Visit, alice: Any, complete_draft: IntegrationDraft) -> None:
    browser = visit(alice).go(f"/drafts/{complete_draft.uuid}/")
    browser.write("Repository", "https://elsewhere.example/acme/rocket").write("Name", "").press("Look it over")
    browser.sees("Give it a name.").shot("draft-slip")
    holds_it(browser, Repository="https://elsewhere.example/acme/rocket", Name="")
    browser.write("Name", "Rocket driver").write("Repository", DRAFT_VALUES["Repository"]).press("Look it over")
    browser.sees("What is sent")


def test_colleague_goes_on_where_it_was_left(visit: Visit, bob: Any, complete_draft: IntegrationDraft) -> None:
    colleague = visit(bob).go("/").press("Rocket driver").sees("Alice Archer saved this")
    holds_it(colleague).press("Look it over").press("Begin the integration").sees("Action required")
    assert [event.actor for event in Integration.objects.get().events.filter(event_type="created")] == ["Bob Baker"]


def test_of_two_people_at_once_the_second_sees_both_versions_and_chooses(
    visit: Visit, alice: Any, bob: Any, complete_draft: IntegrationDraft
) -> None:
    first, second = [visit(user).go(f"/drafts/{complete_draft.uuid}/") for user in (alice, bob)]
    first.write("What it does", "Alice was here.").write("Name", "Rocket driver 2").sees("Saved just now")
    second.write("What it does", "Bob was here.").sees("Not saved. Someone changed this draft")
    second.press("Look it over").sees("Alice Archer changed this draft while you typed").shot("draft-two-versions")
    second.sees("Alice was here.", "Bob was here.", "Rocket driver 2")
    second.page.locator("fieldset", has_text="What it does").get_by_label("Mine").check()
    second.page.locator("fieldset", has_text="Rocket driver 2").get_by_label("Alice Archer").check()
    second.press("Keep what is chosen")
    holds_it(second, **{"Name": "Rocket driver 2", "What it does": "Bob was here."})
    complete_draft.refresh_from_db()
    assert (complete_draft.data["name"], complete_draft.data["description"]) == ("Rocket driver 2", "Bob was here.")


def test_of_one_persons_two_tabs_the_second_sees_both_versions(
    visit: Visit, alice: Any, complete_draft: IntegrationDraft
) -> None:
    browser = visit(alice)
    second = Person(browser.page.context.new_page(), browser.base, "alice again")
    for tab in (browser, second):
        tab.go(f"/drafts/{complete_draft.uuid}/")
    browser.write("What it does", "Typed in the first tab.").sees("Saved just now")
    second.write("Name", "Rocket driver 2").press("Look it over")
    second.sees("You changed this draft on another page", "Typed in the first tab.").press("Keep all of this page")
    complete_draft.refresh_from_db()
    assert (complete_draft.data["name"], complete_draft.data["description"]) == (
        "Rocket driver 2",
        DRAFT_VALUES["What it does"],
    )


def test_what_is_being_saved_does_not_appear_in_the_way_of_its_own_page(
    visit: Visit, alice: Any, complete_draft: IntegrationDraft
) -> None:
    browser = visit(alice).go(f"/drafts/{complete_draft.uuid}/")
    saves: list[Route] = []
    browser.page.route("**/save/", lambda route: saves.append(route))  # held until the form has been sent
    browser.write("Name", "Rocket driver 2").sees("saving…")
    browser.write("Name", "Rocket driver 3").press("Look it over").sees("saving…")
    (save,) = saves
    save.continue_()
    browser.sees("What is sent", "Rocket driver 3")


def test_pressed_twice_it_is_one_integration(visit: Visit, alice: Any, complete_draft: IntegrationDraft) -> None:
    first, second = visit(alice), visit(alice)
    for browser in (first, second):
        browser.go(f"/drafts/{complete_draft.uuid}/").press("Look it over").sees("What is sent")
    first.page.get_by_role("button", name="Begin the integration").dblclick()
    first.page.wait_for_url("**/integrations/**")
    second.press("Begin the integration").sees("Rocket driver")
    row = Integration.objects.get()
    assert second.page.url == first.page.url == f"{first.base}/integrations/{row.uuid}/"
    assert row.events.filter(event_type="created").count() == 1
