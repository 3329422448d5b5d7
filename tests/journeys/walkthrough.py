"""Walkthrough of a program by a partner and a reviewer, in Chromium or without scripts.

Each requirement is met on its own page.
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

AnyPerson = Person | ScriptlessPerson
SECRET = "user: tester\npassword: f0a7-rocket"


def build_png() -> bytes:
    """Build an image of one pixel."""

    def build_chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = build_chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + build_chunk(b"IDAT", zlib.compress(b"\x00\x00")) + build_chunk(b"IEND", b"")


FILES = {"png": build_png(), "txt": b"ok  rocket_test.go  0.3s\n", "pdf": b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"}


class Walkthrough:
    """An integration that two people take from stage to stage. The portal's clock moves where people have to wait."""

    def __init__(self, partner: AnyPerson, reviewer: AnyPerson, run_jobs: Callable[[], None], folder: Path) -> None:
        self.partner = partner
        self.reviewer = reviewer
        self.run_jobs = run_jobs
        self.folder = folder
        self.clock = time_machine.travel(datetime.now(UTC), tick=True)
        self.traveler = self.clock.start()
        self.pk = 0

    def stop_clock(self) -> None:
        self.clock.stop()

    def advance_time(self, **delta: float) -> None:
        """Move the portal's clock and run the background jobs."""
        self.traveler.move_to(timezone.now() + timedelta(**delta))
        self.run_jobs()

    @property
    def row(self) -> Integration:
        return Integration.objects.select_related("partner").get(pk=self.pk)

    @property
    def page(self) -> str:
        return f"/integrations/{self.row.uuid}/"

    def start_integration(
        self, question: str, *, repository: str, name: str, category: str, offering: str
    ) -> "Walkthrough":
        """Find the program with its question, and submit the integration with data from GitHub."""
        partner = self.partner.go("/programs/choose/").tick(question)
        partner.press("Show programs").press("Start integration").press("Enter the details yourself")
        if repository:
            partner.write("Repository", f"https://github.com/{repository}").press("Fill from GitHub")
            partner.wait_for(".prefilled")
        partner.write("Name", name).write("Description", f"{name} does one thing well.")
        partner.tick(category).tick(offering).press("Review and submit")
        partner.sees("Summary").press("Submit integration")
        self.pk = Integration.objects.get(name=name).pk
        self.run_jobs()
        return self

    def advance_to(self, stage: str) -> "Walkthrough":
        """Meet requirements and complete steps until the integration is in the stage."""
        for _ in range(40):
            if self.row.stage == stage:
                return self
            self.take_next_step()
        raise AssertionError(f"The stage {stage} was not reached: {self.row.next_action_label}")

    def take_next_step(self) -> None:
        """Take the next action, of the partner or of the program."""
        row = self.row
        missing_requirements = context.list_missing_next(row, timezone.now())
        if missing_requirements and row.stage != "review":
            return self.fulfill(missing_requirements[0])
        if row.stage in ("review", "release"):
            for requirement in missing_requirements:
                self.fulfill(requirement)
            return self.decide("Approve" if row.stage == "review" else "Publish listing")
        self.partner.go(self.page)
        assert "Action required" in self.partner.read_next_action()
        self.partner.press(self.partner.read_action_label())
        return None

    def decide(self, label: str) -> None:
        """Take a decision as the reviewer on the page that previews its email, and wait until it is final."""
        reviewer = self.row.reviewer
        assert reviewer is not None
        blockers = {a.label: " ".join(a.blockers) for a in list_available_transitions(self.row, reviewer)}
        assert blockers.get(label) == "", blockers
        self.reviewer.go(f"{self.page}review/").press(label)
        self.reviewer.sees("Subject").press(label)
        self.advance_time(minutes=11)

    def complete_change_round(self, text: str, answer: str) -> "Walkthrough":
        """Add a finding, request changes, respond to it, request another review, and verify it."""
        reviewer = self.reviewer
        partner = self.partner
        reviewer.go("/queue/").sees(self.row.name).press(f"Claim review {self.row.name}")
        reviewer.go(f"{self.page}review/")
        reviewer.press_within("article.asserted", "Add finding")
        reviewer.write("Requested change", text).press_within("#finding-form", "Add finding")
        reviewer.go(f"{self.page}review/").press("Request changes").sees(text).press("Request changes")
        self.advance_time(minutes=11)
        assert self.row.next_action_label == "Respond to 1 finding"
        partner.go(self.page).sees(text)
        partner.write("Your response", answer).press("Respond to finding")
        for requirement in self.list_partner_requirements():
            self.fulfill(requirement)
        partner.go(self.page).press("Request another review")
        assert (self.row.review_round, self.row.responsible_party) == (2, "program")
        reviewer.go(f"{self.page}review/").sees(answer)
        reviewer.press_within("article.finding", "Verify finding")
        return self

    def list_partner_requirements(self) -> list[Requirement]:
        """Return the requirements that the partner must meet before it can request another review."""
        own = context.list_partner_requirements(self.row, timezone.now())
        return [r for r in self.row.edition.list_requirements() if r.id in {item.id for item in own}]

    def fulfill(self, requirement: Requirement) -> None:
        """Meet one requirement on its page, as its responsible party."""
        getattr(self, f"fulfill_{requirement.kind}")(requirement)
        state = self.row.fulfillments_by_id[requirement.id]
        assert state.is_met(timezone.now()), f"{requirement.id} is {state.status}: {state.summary}"

    def open_requirement(self, requirement: Requirement) -> AnyPerson:
        person = self.reviewer if requirement.responsible_party == FulfillingParty.PROGRAM else self.partner
        return person.go(f"{self.page}requirements/{requirement.id}/")

    def fulfill_form(self, requirement: Requirement) -> None:
        person = self.open_requirement(requirement)
        for field in requirement.fields:
            FIELDS[field.type](person, field)
        person.press("Submit answers")

    def fulfill_attestation(self, requirement: Requirement) -> None:
        self.open_requirement(requirement).sees(requirement.statement).tick("I confirm this").press("Confirm statement")

    def fulfill_document(self, requirement: Requirement) -> None:
        kind = next(kind for kind in requirement.accept if kind in FILES)
        path = self.folder / f"upload.{kind}"
        path.write_bytes(FILES[kind])
        self.open_requirement(requirement).choose_file("File", path).press("Upload document")

    def fulfill_agreement(self, requirement: Requirement) -> None:
        self.sign(self.open_requirement(requirement), "Alice Archer")
        self.sign(self.reviewer.go(f"{self.page}requirements/{requirement.id}/"), "Rita Reyes")

    def sign(self, person: AnyPerson, name: str) -> None:
        person.write("Full name", name).write("Title", "Director").press("Sign agreement")
        assert self.row.responsible_party in ("program", "partner")

    def fulfill_meeting(self, requirement: Requirement) -> None:
        address = f"{self.page}requirements/{requirement.id}/"
        start = timezone.localtime(timezone.now() + timedelta(days=2))
        partner = self.partner.go(address).write("Time 1", f"{start:%Y-%m-%dT%H:%M}")
        partner.write("Location", "https://meet.acme.example/rocket").press("Propose times")
        reviewer = self.reviewer.go(address).choose_first().press("Accept time")
        assert "BEGIN:VEVENT" in self.partner.go(address).download("Add to calendar")
        self.advance_time(days=2, minutes=5)
        reviewer.go(address)
        for item in requirement.meeting_items:
            reviewer.tick(item)
        reviewer.press("Complete meeting")

    def fulfill_credentials(self, requirement: Requirement) -> None:
        partner = (
            self.open_requirement(requirement).write("Account name", "The test tenant").write("Credentials", SECRET)
        )
        partner.press("Add test account").does_not_see("f0a7-rocket")
        if self.row.reviewer is None:
            self.reviewer.go(f"{self.page}review/").press("Claim review")
        reviewer = self.reviewer.go(f"{self.page}requirements/{requirement.id}/")
        reviewer.write("Reason for access", "To run the acceptance tests.").press("View test account")
        if reviewer.has_text(
            "Confirm access"
        ):  # access has to be confirmed again after a while, and the clock has moved
            reviewer.write("Password", PASSWORD).press("Continue")
        reviewer.sees("f0a7-rocket")
        self.partner.go(f"{self.page}requirements/{requirement.id}/").sees("To run the acceptance tests.")

    def fulfill_check(self, requirement: Requirement) -> None:
        """Run the check. If it does not pass, waive it as the reviewer."""
        self.run_jobs()
        state = self.row.fulfillments_by_id.get(requirement.id)
        if state is None or not state.is_met(timezone.now()):
            reviewer = self.reviewer.go(f"{self.page}requirements/{requirement.id}/")
            until = f"{timezone.now() + timedelta(days=90):%Y-%m-%d}"
            reviewer.write("Reason", "Reviewed manually.").write("Expiration date", until).press("Grant waiver")


def _find_url(question: Question) -> str:
    """Return the example of the question where only some addresses are possible."""
    return question.help.rpartition(" ")[2] if question.pattern else "https://acme.example/docs"


FIELDS: dict[str, Callable[[AnyPerson, Question], Any]] = {
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
