"""Plausible submissions for each kind of requirement in the demo world."""

import struct
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from integrations.programs.requirements import FulfillingParty, Question, Requirement, RequirementKind
from integrations.submissions.models import Integration
from integrations.submissions.services import agreements, credentials, documents, meetings, requirements
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from portal.core import crypto
from portal.core.uploads import validate_file
from verification.checks.types import CHECKS


def draw_logo() -> bytes:
    """Return a logo as PNG, 120 by 40 pixels: a violet ring and a bar."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    def is_ink(x: int, y: int) -> bool:
        return 81 <= (x - 20) ** 2 + (y - 20) ** 2 <= 256 or (46 <= x < 112 and 15 <= y < 25)

    rows = b"".join(b"\0" + b"".join(INK if is_ink(x, y) else PAPER for x in range(120)) for y in range(40))
    head = struct.pack(">IIBBBBB", 120, 40, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


INK, PAPER = bytes((76, 61, 196)), bytes((255, 255, 255))
SAMPLE_FILES = {
    "png": ("logo.png", draw_logo()),
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


def fulfill_requirement(
    integration: Integration, requirement: Requirement, *, owner: User, reviewer: User, now: datetime
) -> None:
    """Complete a requirement as its responsible party would."""
    HANDLER_BY_KIND.get(requirement.kind, answer_form)(integration, requirement, owner, reviewer, now)


def answer_form(integration: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    data = {field.key: ANSWER_BY_FIELD_TYPE[field.type](field, integration) for field in requirement.fields}
    by_program = requirement.responsible_party == FulfillingParty.PROGRAM
    actor = reviewer if by_program else owner
    rule = requirements.rules.can_decide if by_program else requirements.rules.can_edit
    requirements.submit_answer(integration, requirement.id, data, actor=actor, now=now, rule=rule)


def record_passing_check(
    integration: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime
) -> None:
    """Record a passed check."""
    record_check_result(integration, requirement, Status.PASS, "The evidence fulfills the requirement.", now)


def record_failing_check(integration: Integration, requirement: Requirement, now: datetime) -> None:
    """Record a failed check."""
    record_check_result(
        integration, requirement, Status.FAIL, f"{integration.repository} doesn't fulfill this requirement.", now
    )


def record_check_result(
    integration: Integration, requirement: Requirement, outcome: Status, summary: str, now: datetime
) -> None:
    detail = [
        {
            "key": key,
            "title": CHECKS[key].title,
            "advice": CHECKS[key].advice,
            "outcome": outcome,
            "summary": summary,
            "evidence": [{"label": "Repository", "value": integration.repository, "url": ""}],
            "looked_at": "v1.4.0",
            "at": now.isoformat(),
        }
        for key in requirement.checks
    ]
    requirements.record_check_outcome(
        integration,
        requirement.id,
        outcome=outcome,
        summary=summary,
        detail=detail,
        retry_at=None,
        now=now,
    )


def upload_document(
    integration: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime
) -> None:
    """Upload a small file of the first accepted type."""
    kind = requirement.accept[0]
    name, content = SAMPLE_FILES[kind]
    actor = reviewer if requirement.responsible_party == FulfillingParty.PROGRAM else owner
    file = SimpleUploadedFile(name, content)
    documents.upload_document(
        integration, requirement.id, validate_file(file, requirement.accept), actor=actor, now=now
    )


def sign_agreement(
    integration: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime
) -> None:
    """Sign for the partner and countersign for the program."""
    for actor in (owner, reviewer):
        signature = agreements.AgreementSignature(actor.name, timezone.localdate(now))
        agreements.sign_agreement(integration, requirement.id, signature, version="2026-01", actor=actor, now=now)


def hold_meeting(
    integration: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime
) -> None:
    """Propose, schedule, and complete a meeting within a few hours."""
    proposed_at, times = now - timedelta(hours=3), (now - timedelta(hours=1),)
    proposal = meetings.MeetingProposal(times, "https://meet.example/review", 45)
    scheduled_meeting = meetings.propose_times(integration, requirement.id, proposal, actor=reviewer, now=proposed_at)
    scheduled_meeting = meetings.accept_time(
        scheduled_meeting,
        meetings.list_proposed_times(scheduled_meeting)[0],
        actor=owner,
        now=proposed_at + timedelta(hours=1),
    )
    meetings.complete_meeting(
        scheduled_meeting,
        requirement.meeting_items,
        notes="The partner demonstrated all items.",
        actor=reviewer,
        now=now,
    )


def submit_credentials(
    integration: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime
) -> None:
    secret = crypto.Secret(f"user: reviewer\npassword: {uuid4()}")
    label = f"Test tenant of {integration.name}"
    credentials.submit_credential(
        integration, requirement.id, label, secret, permanent=False, actor=owner, now=now, uuid=uuid4()
    )


HANDLER_BY_KIND: dict[RequirementKind, Callable[[Integration, Requirement, User, User, datetime], None]] = {
    RequirementKind.FORM: answer_form,
    RequirementKind.CHECK: record_passing_check,
    RequirementKind.DOCUMENT: upload_document,
    RequirementKind.AGREEMENT: sign_agreement,
    RequirementKind.MEETING: hold_meeting,
    RequirementKind.CREDENTIALS: submit_credentials,
}
