"""A person who signs up, starts an integration from its address, and does what its page asks for."""

from collections.abc import Callable
from typing import NamedTuple

from integrations.programs.requirements import Question, Requirement
from integrations.submissions.models import Integration
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson
from tests.journeys.walk import FIELDS, Someone, Walk

EMAIL, PASSWORD = "dora@initech.example", "a long one to remember"


class Route(NamedTuple):
    """Program, address of the integration, and what neither states, with the most clicks and page loads."""

    program: str
    address: str = ""
    category: str = ""
    language: str = "Go"
    clicks: int = 15
    loads: int = 8


class Newcomer(Walk):
    """The partner of a walk that begins at the sign-up. Follows the page instead of opening requirements by address."""

    partner: Person
    reviewer: ScriptlessPerson

    def sign_up(self, link_in_mail: Callable[[], str]) -> None:
        """Create the account; the page that asked for it stays the destination."""
        person = self.partner.press("Continue").write("Your name", "Dora Dean").write("Email address", EMAIL)
        person.write("Password", PASSWORD).press("Create account")
        person.go(link_in_mail()).press("Confirm email address")

    def start(self, route: Route) -> None:
        """Start the integration with what was found at its address."""
        person = self.partner.press("Continue")
        self.background()
        person.waits_for("text=Start the integration")
        if route.category:
            person.choose("Category", route.category)
        if route.program == "terraform-run-task":
            details = person.item("details", "Name, description, and links")
            person.write("Name", "Stapler", within=details)
            person.write("Description", "Staples plans before they are applied.")
        person.write("Company name", "Initech").press("Start integration")
        self.pk = Integration.objects.get().pk
        self.background()

    def submit(self) -> None:
        """Do what the page asks for, until the review is requested."""
        for _ in range(30):
            if self.row.stage == "review":
                return
            self.background()
            self.do_next()
        raise AssertionError(f"never submitted: {self.row.next_action_label}")

    def do_next(self) -> None:
        kind, _, key = self.row.next_action_target.partition(":")
        if kind == "step":
            self.partner.press(self.partner.action())
            return
        requirement = self.row.edition.requirement(key)
        assert requirement is not None
        self.fulfil(requirement)

    def open(self, requirement: Requirement) -> Someone:
        """Stay on the page if it shows the requirement already."""
        is_open = self.partner.page.locator("#opened .requirement-title", has_text=requirement.title).count()
        return self.partner if is_open else super().open(requirement)

    def form(self, requirement: Requirement) -> None:
        """Type what is blank: the rest is known."""
        person = self.open(requirement)
        for question in requirement.fields:
            if question.required and not self.is_known(question):
                FIELDS[question.type](person, question)
        person.press("Submit answers")

    def is_known(self, question: Question) -> bool:
        if question.type in ("choice", "choices", "yes"):
            return False
        return bool(self.partner.page.locator("#opened").get_by_label(question.label).first.input_value())

    def attestation(self, requirement: Requirement) -> None:
        """Before the submission, confirm every statement that the page offers."""
        if self.row.stage != "review" and self.open(requirement).shows("Confirm all statements"):
            self.partner.press("Confirm all statements")
        else:
            super().attestation(requirement)

    def agreement(self, requirement: Requirement) -> None:
        """Both sides sign. A partner who waited for the program comes back to the page."""
        super().agreement(requirement)
        if "Action required" not in self.partner.turn():
            self.partner.go(self.page)
