"""What do people of the demo world hand in? A plausible answer for each kind of requirement."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from integrations.actions import answers
from integrations.models import Integration
from integrations.programs.base import Field, Kind, Requirement, Who
from integrations.states import Status
from portal.accounts.models import User

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
    rule = answers.rules.may_decide if by_program else answers.rules.may_edit
    answers.answer(row, requirement.id, data, by=by, now=now, rule=rule)


def check(row: Integration, requirement: Requirement, owner: User, reviewer: User, now: datetime) -> None:
    """What the machine found on the day; the next real run looks again."""
    detail = [
        {
            "key": key,
            "outcome": Status.PASS,
            "summary": "Looked at and in order.",
            "evidence": [{"label": "Repository", "value": row.repository, "url": ""}],
            "looked_at": "v1.4.0",
            "at": now.isoformat(),
        }
        for key in requirement.checks
    ]
    answers.record_checks(
        row,
        requirement.id,
        outcome=Status.PASS,
        summary="Looked at and in order.",
        detail=detail,
        retry_at=None,
        now=now,
    )


HANDS: dict[Kind, Callable[[Integration, Requirement, User, User, datetime], None]] = {
    Kind.FORM: form,
    Kind.CHECK: check,
}
