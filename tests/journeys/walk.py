"""Two people take an integration through its whole program, in their browsers or without scripts.

Every requirement is met on its own page.
"""

import struct
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import time_machine
from django.utils import timezone

from integrations.programs.requirements import FulfillingParty, Question, Requirement
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import list_available_transitions
from tests.conftest import PASSWORD
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson

Someone = Person | ScriptlessPerson
SECRET = "user: tester\npassword: f0a7-rocket"


def png() -> bytes:
    """The smallest honest picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\x00\x00")) + chunk(b"IEND", b"")


FILES = {"png": png(), "txt": b"ok  rocket_test.go  0.3s\n", "pdf": b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"}


class Walk:
    """An integration on its way. The clock of the portal is moved where the program makes people wait."""

    def __init__(self, partner: Someone, reviewer: Someone, background: Callable[..., Any], folder: Path) -> None:
        self.partner, self.reviewer, self.background, self.folder = partner, reviewer, background, folder
        self.clock = time_machine.travel(datetime.now(UTC), tick=True)
        self.traveller = self.clock.start()
        self.pk = 0

    def end(self) -> None:
        self.clock.stop()

    def later(self, **delta: float) -> None:
        """Time passes, and the background does what became due."""
        self.traveller.move_to(timezone.now() + timedelta(**delta))
        self.background()

    @property
    def row(self) -> Integration:
        return Integration.objects.select_related("partner").get(pk=self.pk)

    @property
    def page(self) -> str:
        return f"/integrations/{self.row.uuid}/"

    # -- the way -------------------------------------------------------------------------------------------

    def begin(self, question: str, *, repository: str, name: str, category: str, offering: str) -> "Walk":
        """From “Find your program” to the integration's page; GitHub fills what it knows."""
        partner = self.partner.go("/programs/choose/").tick(question)
        partner.press("Show programs").press("Start integration").press("Enter the details yourself")
        if repository:
            partner.write("Repository", f"https://github.com/{repository}").press("Fill from GitHub")
            partner.waits_for(".prefilled")
        partner.write("Name", name).write("Description", f"{name} does one thing well.")
        partner.tick(category).tick(offering).press("Review and submit")
        partner.sees("Summary").press("Submit integration")
        self.pk = Integration.objects.get(name=name).pk
        self.background()
        return self

    def to(self, stage: str) -> "Walk":
        """Requirement by requirement and step by step, until the stage is reached."""
        for _ in range(40):
            if self.row.stage == stage:
                return self
            self.onwards()
        raise AssertionError(f"never reached {stage}: {self.row.next_action_label}")

    def onwards(self) -> None:
        """The next thing to do, whoever's it is."""
        row = self.row
        remaining_steps = context.list_missing_next(row, timezone.now())
        if remaining_steps and row.stage != "review":
            return self.fulfil(remaining_steps[0])
        if row.stage in ("review", "release"):
            for requirement in remaining_steps:
                self.fulfil(requirement)
            return self.decide("Approve" if row.stage == "review" else "Publish listing")
        self.partner.go(self.page)
        assert "Action required" in self.partner.turn()
        words = self.partner.action()
        self.partner.press(words)
        return None

    def decide(self, words: str) -> None:
        """The reviewer decides on the page that shows the exact mail; what can be undone becomes final."""
        ready = {a.label: a.blocker_summary for a in list_available_transitions(self.row, self.row.reviewer)}
        assert ready.get(words) == "", ready
        self.reviewer.go(f"{self.page}review/").press(words)
        self.reviewer.sees("Subject").press(words)
        self.later(minutes=11)

    def round_of_changes(self, text: str, answer: str) -> "Walk":
        """One finding: asked for, answered, asked again, verified."""
        reviewer, partner = self.reviewer, self.partner
        reviewer.go("/queue/").sees(self.row.name).press(f"Claim review {self.row.name}")
        reviewer.go(f"{self.page}review/")
        reviewer.press("Add finding", within=reviewer.item("article.asserted"))
        reviewer.write("Requested change", text).press("Add finding", within=reviewer.item("#finding-form"))
        reviewer.go(f"{self.page}review/").press("Request changes").sees(text).press("Request changes")
        self.later(minutes=11)
        assert self.row.next_action_label == "Respond to 1 finding"
        partner.go(self.page).sees(text)
        partner.write("Your response", answer).press("Respond to finding")
        for requirement in self.partners_part():
            self.fulfil(requirement)
        partner.go(self.page).press("Request another review")
        assert (self.row.review_round, self.row.responsible_party) == (2, "program")
        reviewer.go(f"{self.page}review/").sees(answer)
        reviewer.press("Verify finding", within=reviewer.item("article.finding"))
        return self

    def partners_part(self) -> list[Requirement]:
        """What the partner settles itself before it can ask for the next round."""
        own = context.list_partner_requirements(self.row, timezone.now())
        return [r for r in self.row.edition.requirements() if r.id in {item.id for item in own}]

    # -- requirements --------------------------------------------------------------------------------------

    def fulfil(self, requirement: Requirement) -> None:
        """Meet one requirement on its own page, as the one whose part it is."""
        getattr(self, requirement.kind)(requirement)
        state = self.row.fulfillments_by_id[requirement.id]
        assert state.is_met(timezone.now()), f"{requirement.id} is {state.status}: {state.summary}"

    def open(self, requirement: Requirement) -> Someone:
        who = self.reviewer if requirement.responsible_party == FulfillingParty.PROGRAM else self.partner
        return who.go(f"{self.page}requirements/{requirement.id}/")

    def form(self, requirement: Requirement) -> None:
        person = self.open(requirement)
        for field in requirement.fields:
            FIELDS[field.type](person, field)
        person.press("Submit answers")

    def attestation(self, requirement: Requirement) -> None:
        self.open(requirement).sees(requirement.statement).tick("I confirm this").press("Confirm statement")

    def document(self, requirement: Requirement) -> None:
        kind = next(kind for kind in requirement.accept if kind in FILES)
        path = self.folder / f"handed-in.{kind}"
        path.write_bytes(FILES[kind])
        self.open(requirement).hand_in("File", path).press("Upload document")

    def agreement(self, requirement: Requirement) -> None:
        self.sign(self.open(requirement), "Alice Archer")
        self.sign(self.reviewer.go(f"{self.page}requirements/{requirement.id}/"), "Rita Reyes")

    def sign(self, someone: Someone, name: str) -> None:
        someone.write("Full name", name).write("Title", "Director").press("Sign agreement")
        assert self.row.responsible_party in ("program", "partner")

    def meeting(self, requirement: Requirement) -> None:
        address = f"{self.page}requirements/{requirement.id}/"
        start = timezone.localtime(timezone.now() + timedelta(days=2))
        partner = self.partner.go(address).write("Time 1", f"{start:%Y-%m-%dT%H:%M}")
        partner.write("Location", "https://meet.acme.example/rocket").press("Propose times")
        reviewer = self.reviewer.go(address).choose_first().press("Accept time")
        assert "BEGIN:VEVENT" in self.partner.go(address).download("Add to calendar")
        self.later(days=2, minutes=5)
        reviewer.go(address)
        for item in requirement.meeting_items:
            reviewer.tick(item)
        reviewer.press("Complete meeting")

    def credentials(self, requirement: Requirement) -> None:
        partner = self.open(requirement).write("Account name", "The test tenant").write("Credentials", SECRET)
        partner.press("Save test account").sees_not("f0a7-rocket")
        if self.row.reviewer is None:
            self.reviewer.go(f"{self.page}review/").press("Claim review")
        reviewer = self.reviewer.go(f"{self.page}requirements/{requirement.id}/")
        reviewer.write("Reason for access", "To run the acceptance tests.").press("View account")
        if reviewer.shows("Confirm access"):  # the clock was moved, or the machine is slow
            reviewer.write("Password", PASSWORD).press("Continue")
        reviewer.sees("f0a7-rocket")
        self.partner.go(f"{self.page}requirements/{requirement.id}/").sees("To run the acceptance tests.")

    def check(self, requirement: Requirement) -> None:
        """The machine looked, or looks now; what it does not confirm a reviewer waives with a reason."""
        self.background()
        state = self.row.fulfillments_by_id.get(requirement.id)
        if state is None or not state.is_met(timezone.now()):
            reviewer = self.reviewer.go(f"{self.page}requirements/{requirement.id}/")
            until = f"{timezone.now() + timedelta(days=90):%Y-%m-%d}"
            reviewer.write("Reason", "Looked at by hand.").write("Expiration date", until).press("Grant waiver")


def _find_url(question: Question) -> str:
    """Return the example of the question where only some addresses are possible."""
    return question.help.rpartition(" ")[2] if question.pattern else "https://acme.example/docs"


FIELDS: dict[str, Callable[[Someone, Question], Any]] = {
    "text": lambda person, field: person.write(field.label, "Alice Archer"),
    "lines": lambda person, field: person.write(field.label, "First line.\nSecond line."),
    "url": lambda person, field: person.write(field.label, _find_url(field)),
    "email": lambda person, field: person.write(field.label, "support@acme.example"),
    "choice": lambda person, field: person.choose(field.label, field.options[0][1]),
    "choices": lambda person, field: person.tick(field.options[0][1]),
    "number": lambda person, field: person.write(field.label, "3"),
    "date": lambda person, field: person.write(field.label, "2027-01-15"),
    "yes": lambda person, field: person.tick(field.label),
}
