"""Plausible submissions for each kind of requirement in the demo world."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile

from integrations.programs.requirements import FulfillingParty, Question, Requirement, RequirementKind
from integrations.programs.stages import Stage
from integrations.reviews.services import claims
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import agreements, credentials, documents, meetings, requirements
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.core import crypto
from portal.core.uploads import validate_file
from portal.core.value_types import NamedValues
from portal.demo.checks import confirm_stale_checks, run_checks
from portal.demo.content import DATA

SAMPLE_FILES = {
    "png": ("logo.png", (DATA / "logo.png").read_bytes()),
    "pdf": ("document.pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"),
    "txt": ("tests.txt", b"ok  acceptance  12 tests passed\n"),
}
ANSWER_BY_FIELD_TYPE: dict[str, Callable[[Question, Integration], object]] = {
    "text": lambda field, integration: f"{integration.name} {field.label.lower()}"[: field.max_length],
    "lines": lambda field, integration: "\n".join(
        [integration.description, "Made for teams of every size."][: field.max_lines or 2]
    ),
    "url": lambda field, integration: f"{integration.homepage}/{field.key.replace('_', '-')}",
    "email": lambda field, integration: f"support@{integration.partner.domain}",
    "choice": lambda field, integration: field.options[0][0],
    "choices": lambda field, integration: [value for value, _ in field.options[:2]],
    "number": lambda field, integration: 3,
    "date": lambda field, integration: f"{integration.created_at:%Y-%m-%d}",
    "yes": lambda field, integration: True,
}

# answers that depend on more than the type of the field, by its key
ANSWER_BY_KEY: dict[str, Callable[[Integration], str]] = {
    "pull_request": lambda integration: (
        f"https://github.com/hashicorp/{integration.program.product.lower()}/pull/{20_000 + integration.pk}"
    ),
    "tracker": lambda integration: f"{integration.repository_url}/issues",
    "provider": lambda integration: "{0}/{0}".format(integration.repository.partition("/")[0]),
    # The endpoint of the recorded test run, because the test of another endpoint wouldn't count.
    "endpoint": lambda integration: f"https://preflight.{integration.partner.domain}/run-task",
    "more_contacts": lambda integration: f"On-call engineer, incidents, oncall@{integration.partner.domain}",
    "faq": lambda integration: (
        f"What if {integration.name} stops a run? Open the result, read the reason, and fix the configuration. "
        "The administrators of the partner can disable a rule for an hour."
    ),
}


@dataclass(frozen=True, slots=True)
class DemoContext:
    """Integration, the people who act for it, and the time of their actions."""

    integration: Integration
    owner: User
    reviewer: User
    now: datetime

    def shift(self, **duration: float) -> Self:
        """Return the same with a later time."""
        return replace(self, now=self.now + timedelta(**duration))

    def refresh(self) -> Self:
        """Return the same with the stored integration."""
        integration = Integration.objects.select_related("partner").get(pk=self.integration.pk)
        return replace(self, integration=integration)

    def confirm_checks(self) -> Self:
        """Confirm the results of checks that are stale, and return the same."""
        return self.refresh() if confirm_stale_checks(self.integration, self.now) else self

    def list_missing(self, kind: RequirementKind | None = None) -> list[Requirement]:
        """Return the requirements of the next step that are open, of one kind or of all."""
        missing = context.list_missing_next(self.integration, self.now)
        return [each for each in missing if kind in (None, each.kind)]

    def get_responsible_person(self, requirement: Requirement) -> User:
        """Return who fulfills a requirement."""
        return self.reviewer if requirement.responsible_party == FulfillingParty.PROGRAM else self.owner

    def perform(self, name: str, actor: User, note: str = "") -> None:
        """Perform a transition. A compliance decision needs complete data of the repository."""
        demo = self.confirm_checks()
        MonitoredRepository.objects.filter(integration=self.integration).update(data_up_to=self.now)
        perform_transition(demo.integration, name, actor=actor, note=note, now=self.now)

    def perform_next_transition(self) -> None:
        """Perform the transition to the next step. A reviewer claims the review before the approval."""
        stage = self.integration.stage
        is_review_next = self.integration.next_position[1] == Stage.REVIEW
        if stage == Stage.REVIEW:
            claims.claim_review(self.integration, actor=self.reviewer, now=self.now)
            self.perform("approve", self.reviewer)
        elif stage == Stage.RELEASE:
            self.perform("publish", self.reviewer)
        else:
            self.perform("submit_for_review" if is_review_next else "complete_step", self.owner)


def fulfill_requirement(demo: DemoContext, requirement: Requirement) -> DemoContext:
    """Complete a requirement as its responsible party would. Return the context at the time of its completion."""
    demo = demo.confirm_checks()
    if requirement.kind == RequirementKind.MEETING:
        *_earlier, demo = hold_meeting(demo, requirement)
    else:
        HANDLER_BY_KIND.get(requirement.kind, answer_form)(demo, requirement)
    return demo


def fulfill_requirements(demo: DemoContext, requirements: Iterable[Requirement]) -> DemoContext:
    """Complete requirements one after another. Return the context at the time of the last completion."""
    for requirement in requirements:
        demo = fulfill_requirement(demo, requirement)
    return demo


def answer_form(demo: DemoContext, requirement: Requirement) -> None:
    is_statement = requirement.kind == RequirementKind.ATTESTATION
    answers = {field.key: build_answer(field, demo.integration) for field in requirement.fields}
    data = {"confirmed": True} if is_statement else answers
    actor = demo.get_responsible_person(requirement)
    requirements.submit_answer(demo.integration, requirement.id, data, actor=actor, now=demo.now)


def build_answer(field: Question, integration: Integration) -> object:
    if field.key in ANSWER_BY_KEY:
        return ANSWER_BY_KEY[field.key](integration)
    return ANSWER_BY_FIELD_TYPE[field.type](field, integration)


def run_requirement_checks(demo: DemoContext, requirement: Requirement) -> None:
    """Run the checks of the requirement on what has been submitted."""
    run_checks(demo.refresh().integration, {requirement.id}, demo.now)


def upload_document(demo: DemoContext, requirement: Requirement) -> None:
    """Upload a small file of the first accepted type."""
    file = validate_file(SimpleUploadedFile(*SAMPLE_FILES[requirement.accept[0]]), requirement.accept)
    actor = demo.get_responsible_person(requirement)
    documents.upload_document(demo.integration, requirement.id, file, actor=actor, now=demo.now)


def sign_agreement(demo: DemoContext, requirement: Requirement) -> None:
    """Sign for the partner and countersign for the program."""
    for actor in (demo.owner, demo.reviewer):
        sign_agreement_for(demo, requirement, actor)


def sign_agreement_for(demo: DemoContext, requirement: Requirement, actor: User) -> None:
    """Sign for one side."""
    agreement = agreements.get_current_agreement(demo.integration.partner, requirement.agreement)
    party, title = ("the program", "Reviewer") if actor.is_reviewer else (agreement.partner.name, "Owner")
    signature = agreements.Signature(actor.name, title, agreements.build_statement(party))
    agreements.sign_agreement(
        demo.integration, requirement.id, signature, digest=agreement.digest, actor=actor, now=demo.now
    )


def propose_meeting(demo: DemoContext, requirement: Requirement, times: tuple[datetime, ...]) -> meetings.Meeting:
    """Propose times for a meeting on behalf of the program."""
    proposal = meetings.MeetingProposal(times, "https://meet.example/review", 45)
    return meetings.propose_times(demo.integration, requirement.id, proposal, actor=demo.reviewer, now=demo.now)


def hold_meeting(demo: DemoContext, requirement: Requirement) -> Iterator[DemoContext]:
    """Propose, schedule, and complete a meeting within a few hours. Yield the context before the last two actions."""
    meeting = propose_meeting(demo, requirement, (demo.now + timedelta(hours=2),))
    (meeting_at,) = meetings.list_proposed_times(meeting)
    yield (demo := demo.shift(hours=1))
    meeting = meetings.accept_time(meeting, meeting_at, actor=demo.owner, now=demo.now)
    yield (demo := demo.shift(hours=2))
    notes = "The partner demonstrated all items."
    meetings.complete_meeting(meeting, requirement.meeting_items, notes=notes, actor=demo.reviewer, now=demo.now)


def submit_credentials(demo: DemoContext, requirement: Requirement) -> None:
    secret = crypto.Secret(f"user: reviewer\npassword: {uuid4()}")
    label = f"Test tenant of {demo.integration.name}"
    submission: NamedValues = {"permanent": False, "actor": demo.owner, "now": demo.now, "uuid": uuid4()}
    credentials.submit_credential(demo.integration, requirement.id, label, secret, **submission)


HANDLER_BY_KIND: dict[RequirementKind, Callable[[DemoContext, Requirement], None]] = {
    RequirementKind.FORM: answer_form,
    RequirementKind.CHECK: run_requirement_checks,
    RequirementKind.DOCUMENT: upload_document,
    RequirementKind.AGREEMENT: sign_agreement,
    RequirementKind.CREDENTIALS: submit_credentials,
}
