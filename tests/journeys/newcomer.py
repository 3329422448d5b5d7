"""Walkthrough by a person who signs up, starts an integration from its address, and follows its next actions."""

from collections.abc import Callable
from typing import NamedTuple

from integrations.programs.requirements import Question, Requirement
from integrations.submissions.models import Integration
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson
from tests.journeys.walkthrough import FIELDS, AnyPerson, Walkthrough

EMAIL = "dora@initech.example"
PASSWORD = "a long one to remember"


class Scenario(NamedTuple):
    """Program, address of the integration, the values that neither states, and the budgets of clicks and page loads."""

    program: str
    address: str = ""
    category: str = ""
    language: str = "Go"
    max_clicks: int = 15
    max_loads: int = 8


class Newcomer(Walkthrough):
    """A walkthrough that begins with the sign-up and follows the pages instead of opening requirements by address."""

    partner: Person
    reviewer: ScriptlessPerson

    def sign_up(self, find_confirmation_link: Callable[[], str]) -> None:
        """Create the account and confirm its address. The page that required the account stays the destination."""
        person = self.partner.press("Continue").write("Your name", "Dora Dean").write("Email address", EMAIL)
        person.write("Password", PASSWORD).press("Create account")
        person.go(find_confirmation_link()).press("Confirm email address")

    def start(self, scenario: Scenario) -> None:
        """Start the integration with the data found at its address."""
        person = self.partner.press("Continue")
        self.run_jobs()
        person.wait_for("text=Start the integration")
        if scenario.category:
            person.choose("Category", scenario.category)
        if scenario.program == "terraform-run-task":
            details = person.find("details", "Name, description, and links")
            person.write("Name", "Stapler", within=details)
            person.write("Description", "Staples plans before they are applied.")
        person.write("Company name", "Initech").press("Start integration")
        self.pk = Integration.objects.get().pk
        self.run_jobs()

    def submit(self) -> None:
        """Follow the next actions until the review is requested."""
        for _ in range(30):
            if self.row.stage == "review":
                return
            self.run_jobs()
            self.follow_next_action()
        raise AssertionError(f"The review was not requested: {self.row.next_action_label}")

    def follow_next_action(self) -> None:
        kind, _, key = self.row.next_action_target.partition(":")
        if kind == "step":
            self.partner.press(self.partner.read_action_label())
            return
        requirement = self.row.edition.get_requirement(key)
        assert requirement is not None
        self.fulfill(requirement)

    def open_requirement(self, requirement: Requirement) -> AnyPerson:
        """Stay on the page if it already shows the requirement."""
        is_open = self.partner.page.locator("#opened .requirement-title", has_text=requirement.title).count()
        return self.partner if is_open else super().open_requirement(requirement)

    def fulfill_form(self, requirement: Requirement) -> None:
        """Fill in only the required fields that the portal left empty."""
        person = self.open_requirement(requirement)
        for question in requirement.fields:
            if question.required and not self.is_prefilled(question):
                FIELDS[question.type](person, question)
        person.press("Submit answers")

    def is_prefilled(self, question: Question) -> bool:
        if question.type in ("choice", "choices", "yes"):
            return False
        return bool(self.partner.page.locator("#opened").get_by_label(question.label).first.input_value())

    def fulfill_attestation(self, requirement: Requirement) -> None:
        """Before the submission, confirm all statements at once if the page offers it."""
        if self.row.stage != "review" and self.open_requirement(requirement).has_text("Confirm all statements"):
            self.partner.press("Confirm all statements")
        else:
            super().fulfill_attestation(requirement)

    def fulfill_agreement(self, requirement: Requirement) -> None:
        """Sign for both sides. A partner who waited for the program returns to the page."""
        super().fulfill_agreement(requirement)
        if "Action required" not in self.partner.read_next_action():
            self.partner.go(self.page)
