"""What do people of the demo world hand in? A plausible answer for each kind of requirement."""

import struct
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from integrations.programs.schema import Field, Kind, Requirement, Who
from integrations.submissions.models import Integration
from integrations.submissions.services import agreements, credentials, documents, meetings, requirements
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from portal.core import crypto
from portal.core.uploads import examine
from verification.checks.types import CHECKS


def mark() -> bytes:
    """A picture for a logo, as PNG: a violet ring and a bar beside it, 120 by 40."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    def is_ink(x: int, y: int) -> bool:
        return 81 <= (x - 20) ** 2 + (y - 20) ** 2 <= 256 or (46 <= x < 112 and 15 <= y < 25)

    rows = b"".join(b"\0" + b"".join(INK if is_ink(x, y) else PAPER for x in range(120)) for y in range(40))
    head = struct.pack(">IIBBBBB", 120, 40, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


INK, PAPER = bytes((76, 61, 196)), bytes((255, 255, 255))
FILES = {
    "png": ("logo.png", mark()),
    "pdf": ("document.pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"),
    "txt": ("tests.txt", b"ok  acceptance  12 tests passed\n"),
}
BY_TYPE: dict[str, Callable[[Field, Integration], Any]] = {
    "text": lambda field, row: f"{row.name} {field.label.lower()}"[: field.max_length],
    "lines": lambda field, row: "\n".join([row.description, "Made for teams of every size."][: field.max_lines or 2]),
    "url": lambda field, row: f"{row.homepage}/{field.key.replace('_', '-')}",
    "email": lambda field, row: f"support@{row.partner.domain}",
    "choice": lambda field, row: field.options[0][0],
    "choices": lambda field, row: [value for value, _ in field.options[:2]],
    "number": lambda field, row: 3,
    "date": lambda field, row: f"{row.created_at:%Y-%m-%d}",
    "yes": lambda field, row: True,
}


def give(row: Integration, requirement: Requirement, *, owner: User, reviewer: User, now: datetime) -> None:
    """Meet one requirement as its owner would."""
    HANDS.get(requirement.kind, form)(row, requirement, owner, reviewer, now)


def form(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    data = {field.key: BY_TYPE[field.type](field, row) for field in requirement.fields}
    by_program = requirement.who == Who.PROGRAM
    by = reviewer if by_program else owner
    rule = requirements.rules.may_decide if by_program else requirements.rules.may_edit
    requirements.answer(row, requirement.id, data, by=by, now=now, rule=rule)


def check(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    """What the machine found on the day; the next real run looks again."""
    found(row, requirement, Status.PASS, "Looked at and in order.", now)


def failing(row: Integration, requirement: Requirement, now: datetime) -> None:
    """The same on a day on which it was not in order."""
    found(row, requirement, Status.FAIL, f"{row.repository} does not hold what is asked for here.", now)


def found(row: Integration, requirement: Requirement, outcome: Status, summary: str, now: datetime) -> None:
    detail = [
        {
            "key": key,
            "title": CHECKS[key].title,
            "advice": CHECKS[key].advice,
            "outcome": outcome,
            "summary": summary,
            "evidence": [{"label": "Repository", "value": row.repository, "url": ""}],
            "looked_at": "v1.4.0",
            "at": now.isoformat(),
        }
        for key in requirement.checks
    ]
    requirements.record_checks(
        row,
        requirement.id,
        outcome=outcome,
        summary=summary,
        detail=detail,
        retry_at=None,
        now=now,
    )


def document(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    """A small file of the first kind that is taken."""
    kind = requirement.accept[0]
    name, content = FILES[kind]
    by = reviewer if requirement.who == Who.PROGRAM else owner
    file = SimpleUploadedFile(name, content)
    documents.upload(row, requirement.id, examine(file, requirement.accept), by=by, now=now)


def agreement(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    """The partner signs, the program countersigns."""
    for by in (owner, reviewer):
        signature = agreements.Signature(by.name, timezone.localdate(now))
        agreements.sign(row, requirement.id, signature, version="2026-01", by=by, now=now)


def meeting(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    """Proposed, agreed and held within a few hours, with everything shown: nothing else happens in between."""
    begin, times = now - timedelta(hours=3), (now - timedelta(hours=1),)
    proposal = meetings.Proposal(times, "https://meet.example/review", 45)
    found = meetings.propose(row, requirement.id, proposal, by=reviewer, now=begin)
    found = meetings.accept(found, meetings.times_of(found)[0], by=owner, now=begin + timedelta(hours=1))
    meetings.hold(found, requirement.meeting_items, notes="All of it was shown.", by=reviewer, now=now)


def account(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    secret = crypto.Secret(f"user: reviewer\npassword: {uuid4()}")
    label = f"Test tenant of {row.name}"
    credentials.give(row, requirement.id, label, secret, permanent=False, by=owner, now=now, uuid=uuid4())


HANDS: dict[Kind, Callable[[Integration, Requirement, User, User, datetime], None]] = {
    Kind.FORM: form,
    Kind.CHECK: check,
    Kind.DOCUMENT: document,
    Kind.AGREEMENT: agreement,
    Kind.MEETING: meeting,
    Kind.CREDENTIALS: account,
}
