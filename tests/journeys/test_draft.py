"""Drafts: input survives sign-up, an expired session, invalid values, and concurrent editing."""

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
    "Description": "Runs workloads on rockets.",
}


def fill_in_draft(browser: Person) -> Person:
    """Enter a value for each field."""
    for label, text in DRAFT_VALUES.items():
        browser.write(label, text)
    return browser.tick("Container Runtime").tick("Open Source")


def sees_draft(browser: Person, **other: str) -> Person:
    """Expect all values in their fields, with these instead of the usual ones."""
    for label, text in (DRAFT_VALUES | other).items():
        browser.sees_value(label, text)
    expect(browser.page.get_by_label("Container Runtime").first).to_be_checked()
    expect(browser.page.get_by_label("Open Source").first).to_be_checked()
    return browser


def sign_in(browser: Person, address: str) -> Person:
    return browser.write("Email address", address).write("Password", PASSWORD).press("Sign in")


@pytest.fixture
def complete_draft(acme: Partner, alice: Any) -> IntegrationDraft:
    """A draft that Alice filled in."""
    draft = drafts.create_draft(acme, "nomad", actor=alice, now=NOW)
    data = {
        "repository_address": DRAFT_VALUES["Repository"],
        "name": DRAFT_VALUES["Name"],
        "description": DRAFT_VALUES["Description"],
        "category": "container-runtime",
        "offerings": ["Open Source"],
    }
    return drafts.save_draft(draft, data, version=0, actor=alice, now=NOW)


def test_draft_of_a_visitor_is_kept_after_sign_up(
    visit: Visit, find_email: Callable[..., EmailMessage], db: Any
) -> None:
    dora = visit()
    fill_in_draft(dora.go("/programs/choose/nomad/")).press("Create account and continue")
    sign_up(dora, find_email, "Dora Dean", "dora@initech.example")
    dora.write("Company name", "Initech").press("Create company")
    sees_draft(dora.sees("This is your input from before you signed in")).press("Continue").sees("Summary")
    dora.press("Submit integration").sees("Rocket driver")
    row = Integration.objects.get()
    assert (row.name, row.partner.name, row.description) == ("Rocket driver", "Initech", DRAFT_VALUES["Description"])


def test_draft_of_a_visitor_is_kept_after_sign_in(visit: Visit, alice: Any) -> None:
    browser = visit(phone=True, javascript=False)
    fill_in_draft(browser.go("/programs/choose/nomad/")).press("Sign in and continue")
    sees_draft(sign_in(browser, alice.email)).press("Continue").sees("Summary", "Rocket driver")


def test_draft_is_saved_automatically_and_survives_the_end_of_the_session(visit: Visit, alice: Any) -> None:
    browser = visit(alice).go("/programs/nomad/").press("Start integration")
    browser.press("Enter the details yourself")
    fill_in_draft(browser).sees("Saved just now").shot("draft")
    browser.go("/").press("Rocket driver")
    sees_draft(browser)
    browser.page.context.clear_cookies(name=django_settings.SESSION_COOKIE_NAME)
    browser.write("Description", "Runs workloads on rockets and boosters.")
    browser.sees("Not saved. You are signed out").press("Review and submit")
    sign_in(browser, alice.email).sees("This is your input from before you signed in")
    sees_draft(browser, Description="Runs workloads on rockets and boosters.")
    browser.press("Review and submit").sees("Runs workloads on rockets and boosters.")


def test_draft_with_invalid_values_is_kept(visit: Visit, alice: Any, complete_draft: IntegrationDraft) -> None:
    browser = visit(alice).go(f"/drafts/{complete_draft.uuid}/")
    browser.write("Repository", "https://elsewhere.example/acme/rocket").write("Name", "").press("Review and submit")
    browser.sees("Enter a name.").shot("draft-invalid")
    sees_draft(browser, Repository="https://elsewhere.example/acme/rocket", Name="")
    browser.write("Name", "Rocket driver").write("Repository", DRAFT_VALUES["Repository"]).press("Review and submit")
    browser.sees("Summary")


def test_colleague_continues_the_draft(visit: Visit, bob: Any, complete_draft: IntegrationDraft) -> None:
    colleague = visit(bob).go("/").press("Rocket driver").sees("Alice Archer saved this")
    sees_draft(colleague).press("Review and submit").press("Submit integration").sees("Action required")
    assert [event.actor for event in Integration.objects.get().events.filter(event_type="integration.created")] == [
        "Bob Baker"
    ]


def test_second_of_two_editors_chooses_between_both_versions(
    visit: Visit, alice: Any, bob: Any, complete_draft: IntegrationDraft
) -> None:
    first, second = [visit(user).go(f"/drafts/{complete_draft.uuid}/") for user in (alice, bob)]
    first.write("Description", "Alice was here.").write("Name", "Rocket driver 2").sees("Saved just now")
    second.write("Description", "Bob was here.").sees("Not saved. Someone changed this draft")
    second.press("Review and submit").sees("Alice Archer changed this draft").shot("draft-two-versions")
    second.sees("Alice was here.", "Bob was here.", "Rocket driver 2")
    second.page.locator("fieldset", has_text="Description").get_by_label("Your version").check()
    second.page.locator("fieldset", has_text="Rocket driver 2").get_by_label("Alice Archer").check()
    second.press("Save selection")
    sees_draft(second, Name="Rocket driver 2", Description="Bob was here.")
    complete_draft.refresh_from_db()
    assert (complete_draft.data["name"], complete_draft.data["description"]) == ("Rocket driver 2", "Bob was here.")


def test_second_tab_of_one_person_sees_both_versions(
    visit: Visit, alice: Any, complete_draft: IntegrationDraft
) -> None:
    browser = visit(alice)
    second = Person(browser.page.context.new_page(), browser.base_url, "alice again")
    for tab in (browser, second):
        tab.go(f"/drafts/{complete_draft.uuid}/")
    browser.write("Description", "Typed in the first tab.").sees("Saved just now")
    second.write("Name", "Rocket driver 2").press("Review and submit")
    second.sees("You changed this draft on another page", "Typed in the first tab.").press("Keep this page's version")
    complete_draft.refresh_from_db()
    assert (complete_draft.data["name"], complete_draft.data["description"]) == (
        "Rocket driver 2",
        DRAFT_VALUES["Description"],
    )


def test_unfinished_save_does_not_conflict_with_the_submission_of_its_page(
    visit: Visit, alice: Any, complete_draft: IntegrationDraft
) -> None:
    browser = visit(alice).go(f"/drafts/{complete_draft.uuid}/")
    saves: list[Route] = []
    browser.page.route("**/save/", lambda route: saves.append(route))  # held until the form is submitted
    browser.write("Name", "Rocket driver 2").sees("saving…")
    browser.write("Name", "Rocket driver 3").press("Review and submit").sees("saving…")
    (save,) = saves
    save.continue_()
    browser.sees("Summary", "Rocket driver 3")


def test_input_entered_while_github_is_read_is_kept(visit: Visit, alice: Any, complete_draft: IntegrationDraft) -> None:
    browser = visit(alice).go(f"/drafts/{complete_draft.uuid}/")
    browser.write("Repository", "").write("Description", "Entered before.")
    requests: list[Route] = []
    browser.page.route(f"**/drafts/{complete_draft.uuid}/", lambda route: requests.append(route))
    browser.page.get_by_role("button", name="Fill from GitHub").click()
    browser.page.get_by_label("Name").click()
    browser.page.keyboard.press("End")
    browser.page.keyboard.type(" 2")
    browser.page.get_by_label("Enterprise").check()
    with browser.page.expect_response("**/save/") as save:
        requests[0].continue_()
    assert save.value.status == 204
    sees_draft(
        browser.sees("Enter the repository URL."), Repository="", Name="Rocket driver 2", Description="Entered before."
    )
    expect(browser.page.get_by_label("Enterprise")).to_be_checked()
    expect(browser.page.get_by_label("Enterprise")).to_be_focused()
    complete_draft.refresh_from_db()
    assert complete_draft.data["name"] == "Rocket driver 2"


def test_draft_submitted_twice_creates_one_integration(
    visit: Visit, alice: Any, complete_draft: IntegrationDraft
) -> None:
    first = visit(alice)
    second = visit(alice)
    for browser in (first, second):
        browser.go(f"/drafts/{complete_draft.uuid}/").press("Review and submit").sees("Summary")
    first.page.get_by_role("button", name="Submit integration").dblclick()
    first.page.wait_for_url("**/integrations/**")
    second.press("Submit integration").sees("Rocket driver")
    row = Integration.objects.get()
    assert second.page.url == first.page.url == f"{first.base_url}/integrations/{row.uuid}/"
    assert row.events.filter(event_type="integration.created").count() == 1
