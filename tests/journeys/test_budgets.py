"""From sign-up to the request of a review, in every program: the clicks and page loads stay within their budgets."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.programs.requirements import RequirementKind
from integrations.submissions.models import Integration
from integrations.submissions.services import agreements
from portal.notifications.models import EmailMessage
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.conftest import link_in
from tests.journeys.person import Person
from tests.suites import FIGURE_PROPERTY

Visit = Callable[..., Person]
MailTo = Callable[..., EmailMessage]
EMAIL = "dora@initech.example"


class Budget(NamedTuple):
    """Repository of the integration, what its pages can't know, and the most clicks and page loads."""

    repository: str
    category: str = ""
    clicks: int = 15
    loads: int = 8
    has_account: bool = False


BUDGETS = {
    "nomad": Budget("initech/nomad-driver-stapler"),
    "terraform-provider": Budget("initech/terraform-provider-stapler", "Utility", clicks=10, loads=6, has_account=True),
    "vault": Budget("initech/vault-plugin-secrets-stapler"),
    "consul": Budget("initech/consul-stapler", "Data Plane"),
    "packer": Budget("initech/packer-plugin-stapler", "Builders"),
}


class Newcomer:
    """A person who signs up, starts an integration from its address, and does what its page asks for."""

    def __init__(self, person: Person, rita: Any, background: Callable[..., Any]) -> None:
        self.person, self.rita, self.background = person, rita, background

    def sign_up(self, mail_to: MailTo) -> None:
        """Create the account; the page that asked for it stays the destination."""
        self.person.write("Your name", "Dora Dean").write("Email address", EMAIL)
        self.person.write("Password", "a long one to remember").press("Create account")
        self.person.go(link_in(mail_to(EMAIL, "confirm_address"), "confirm-email")).press("Confirm email address")

    def start(self, budget: Budget) -> None:
        """Start the integration with what was found at its address."""
        person = self.person.press("Continue")
        self.background()
        person.sees("requirements met")
        if budget.category:
            person.choose("Category", budget.category)
        if not budget.has_account:
            person.write("Company name", "Initech")
        person.press("Start integration")
        self.background()

    @property
    def row(self) -> Integration:
        return Integration.objects.select_related("partner").get()

    def submit(self) -> None:
        """Do what the page asks for, until the review is requested."""
        for _ in range(30):
            if self.row.stage == "review":
                return
            self.background()
            if self.row.responsible_party != "partner":
                self.sign_for_the_program()
            self.do_next()
        raise AssertionError(f"never submitted: {self.row.next_action_label}")

    def do_next(self) -> None:
        kind, _, key = self.row.next_action_target.partition(":")
        if kind == "step":
            self.person.press(self.person.action())
            return
        requirement = self.row.edition.requirement(key)
        assert requirement is not None
        opened = self.person.page.locator("#opened")
        if requirement.kind == RequirementKind.ATTESTATION:
            self.confirm(opened)
        elif requirement.kind == RequirementKind.AGREEMENT:
            self.person.write("Version", "2026-01").write("Signed by", "Dora Dean")
            self.person.write("Signed on", f"{timezone.now():%Y-%m-%d}").press("Record signature")
        else:
            self.answer(requirement)

    def confirm(self, opened: Any) -> None:
        boxes = opened.get_by_role("checkbox")
        for number in range(boxes.count()):
            boxes.nth(number).check()
            self.person.clicks += 1
        self.person.press("Confirm statement")

    def answer(self, requirement: Any) -> None:
        """Type what is blank: the rest is known."""
        for question in requirement.fields:
            field = self.person.page.locator("#opened").get_by_label(question.label).first
            if question.type == "choices":
                self.person.tick(question.options[0][1])
            elif question.type == "yes":
                self.person.tick(question.label)
            elif question.required and not field.input_value():
                values = {"email": EMAIL, "url": "https://initech.example/docs", "date": "2027-01-15"}
                field.fill(values.get(question.type, "Staplers."))
        self.person.press("Submit answers")

    def sign_for_the_program(self) -> None:
        """The program signs what waits for it, which costs the partner nothing."""
        _, _, requirement_id = self.row.next_action_target.partition(":")
        signature = agreements.AgreementSignature("Rita Reyes", timezone.localdate())
        agreements.sign_agreement(self.row, requirement_id, signature, version="", actor=self.rita, now=timezone.now())
        expect(self.person.page.locator("#workspace")).to_contain_text("Action required")


@pytest.mark.parametrize("program", BUDGETS)
def test_newcomer_submits_within_the_budget(
    program: str,
    visit: Visit,
    github: Any,
    registry: Any,
    settings: Any,
    mail_to: MailTo,
    rita: Any,
    background: Callable[..., Any],
    record_property: Callable[[str, str], None],
    request: pytest.FixtureRequest,
) -> None:
    budget, settings.REGISTRY_URL = BUDGETS[program], registry.url
    github.seed(Repo(budget.repository, "Runs staplers.", homepage="https://initech.example"))
    if program == "terraform-provider":
        registry.publish(Provider("initech/stapler"))
    person = visit(request.getfixturevalue("alice") if budget.has_account else None).go(f"/new/?program={program}")
    person.write("Address", f"https://github.com/{budget.repository}")
    newcomer = Newcomer(person, rita, background)
    if not budget.has_account:
        person.press("Continue")
        newcomer.sign_up(mail_to)
    newcomer.start(budget)
    newcomer.submit()
    record_property(FIGURE_PROPERTY, f"{program}: {person.clicks} clicks, {person.loads} page loads")
    assert (person.clicks <= budget.clicks, person.loads <= budget.loads) == (True, True)
