"""How does a review go on between its steps? Claims, findings, the thread and the program's notes."""

from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Finding, Integration, Look, Message
from integrations.submissions.services.transitions import PROGRAM_CALENDAR, changing
from integrations.submissions.workflow.states import ReviewState, Stage
from portal.audit.services import record
from portal.core import business_time
from portal.core.errors import NotAllowed

FINDING_DAYS = 10  # business days that a company has once a check of a listed integration fails


def raise_finding(integration: Integration, requirement_id: str, text: str, *, by: Any, now: datetime) -> Finding:
    """Write a finding, tied to a requirement. The partner sees it when changes are requested."""
    if not text.strip():
        raise NotAllowed(_("Say what should change."))
    with changing(integration, permissions.may_decide, by=by, now=now) as row:
        if row.stage != Stage.REVIEW:
            raise NotAllowed(_("Findings are written in review."), "gone")
        if row.edition.requirement(requirement_id) is None:
            raise NotAllowed(_("This edition of the program has no such requirement."), "gone")
        highest = row.findings.aggregate(top=Max("number"))["top"] or 0
        finding = row.findings.create(
            number=highest + 1, round=row.review_round, requirement_id=requirement_id, text=text.strip(),
            raised_by=by, raised_at=now,
        )  # fmt: skip
        record(
            row, "finding_raised", by=by, now=now, note=text, internal=True, finding=finding.number,
            requirement=requirement_id,
        )  # fmt: skip
    return finding


def open_by_machine(row: Integration, requirement_id: str, text: str, *, now: datetime) -> Finding | None:
    """What was met in a listed integration no longer is: a finding with a due date. None where there is one already.

    Call with the integration locked.
    """
    mine = row.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    if mine.exclude(state=Finding.State.VERIFIED).exists():
        return None
    highest = row.findings.aggregate(top=Max("number"))["top"] or 0
    return row.findings.create(
        number=highest + 1, round=row.review_round, requirement_id=requirement_id, text=text[:4000],
        raised_at=now, due_at=business_time.due_business(now, FINDING_DAYS, PROGRAM_CALENDAR),
    )  # fmt: skip


def settle_by_machine(row: Integration, requirement_id: str, *, now: datetime) -> Finding | None:
    """The machine found it met again, which settles its own finding. None where there was none."""
    mine = row.findings.filter(requirement_id=requirement_id).exclude(due_at=None)
    finding = mine.exclude(state=Finding.State.VERIFIED).first()
    if finding is not None:
        finding.state, finding.verified_at = Finding.State.VERIFIED, now
        finding.answer = finding.answer or "The portal looked again and found it in order."
        finding.fixed_at = finding.fixed_at or now
        finding.save()
    return finding


def _set(
    finding: Finding, state: str, verb: str, rule: Any, *, by: Any, now: datetime, note: str = "", **fields: Any
) -> None:
    """Move one finding on, write it down, and derive the turn again."""
    with changing(finding.integration, rule, by=by, now=now) as row:
        locked = row.findings.get(pk=finding.pk)
        if locked.state == state:
            raise NotAllowed(
                _("Finding %(number)s is %(lower)s already.")
                % {"number": locked.number, "lower": locked.get_state_display().lower()},
                "stale",
            )
        if locked.state == Finding.State.VERIFIED and verb == "finding_fixed":
            raise NotAllowed(_("Finding %(number)s is verified already.") % {"number": locked.number}, "stale")
        locked.state = state
        for name, value in fields.items():
            setattr(locked, name, value)
        locked.save()
        told = locked.round < row.review_round or row.review_state == ReviewState.CHANGES
        record(
            row, verb, by=by, now=now, note=note, internal=not told, finding=locked.number,
            requirement=locked.requirement_id,
        )  # fmt: skip


def fix_finding(finding: Finding, answer: str, *, by: Any, now: datetime) -> None:
    """The partner says what was changed."""
    if not answer.strip():
        raise NotAllowed(_("Say what you changed, or where it can be seen."))
    fields = {"answer": answer.strip(), "fixed_by": by, "fixed_at": now}
    _set(finding, Finding.State.FIXED, "finding_fixed", permissions.may_edit, by=by, now=now, note=answer, **fields)


def verify_finding(finding: Finding, *, by: Any, now: datetime) -> None:
    """The reviewer agrees that it is settled."""
    fields = {"verified_by": by, "verified_at": now}
    _set(finding, Finding.State.VERIFIED, "finding_verified", permissions.may_decide, by=by, now=now, **fields)


def reopen_finding(finding: Finding, *, by: Any, now: datetime, note: str = "") -> None:
    """It is not settled after all."""
    fields = {"verified_by": None, "verified_at": None}
    _set(finding, Finding.State.OPEN, "finding_reopened", permissions.may_decide, by=by, now=now, note=note, **fields)


def say(integration: Integration, body: str, *, by: Any, now: datetime, internal: bool = False) -> Message:
    """Say something in the thread, or, for the program, keep a note that the partner never sees."""
    if not body.strip():
        raise NotAllowed(_("There is nothing to say yet."))
    rule = permissions.may_note if internal else permissions.may_speak
    with changing(integration, rule, by=by, now=now) as row:
        message = row.messages.create(author=by, body=body.strip(), internal=internal, at=now)
        from_program = permissions.works_for_program(by) and not permissions.role_of(row.partner, by)
        verb = "noted" if internal else "said_to_partner" if from_program else "said_to_program"
        record(row, verb, by=by, now=now, note=body, internal=internal)
    return message


def looked(integration: Integration, *, by: Any, now: datetime) -> int:
    """Remember up to which event a person has seen it. Returns the place of their look before this one."""
    top = integration.events.aggregate(top=Max("seq"))["top"] or 0
    look, is_new = Look.objects.get_or_create(user=by, integration=integration, defaults={"seq": top, "at": now})
    before = 0 if is_new else look.seq
    Look.objects.filter(pk=look.pk).update(seq=top, at=now)
    return before
