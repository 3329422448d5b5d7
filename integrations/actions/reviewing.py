"""How does a review go on between its steps? Claims, findings, the thread and the program's notes."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations import clock, rules
from integrations.history import record
from integrations.models import Finding, Integration, Look, Message, ReviewerProfile
from integrations.states import ReviewState, Stage
from integrations.workflow import PROGRAM_CALENDAR, NotAllowed, changing

FINDING_DAYS = 10  # business days that a company has once a check of a listed integration fails


def claim(integration: Integration, *, by: Any, now: datetime) -> Integration:
    """Take an integration for a while. A lease that ran out may be taken by anyone."""
    with changing(integration, rules.may_decide, by=by, now=now) as row:
        others = row.reviewer_id not in (None, by.pk) and row.claimed_until is not None and row.claimed_until > now
        if others:
            raise NotAllowed(
                _("%(reviewer)s has it until %(claimed_until)s UTC.")
                % {"reviewer": row.reviewer, "claimed_until": f"{row.claimed_until:%H:%M}"},
                "stale",
            )
        is_news = row.reviewer_id != by.pk
        row.reviewer, row.claimed_until = by, now + timedelta(minutes=settings.CLAIM_MINUTES)
        row.version -= 1  # a claim makes nobody's page out of date
        if is_news:
            record(row, "claimed", by=by, now=now, internal=True)
    return row


def keep_claim(integration: Integration, *, by: Any, now: datetime) -> None:
    """Lengthen one's own lease while one works; nothing happens to another's."""
    until = now + timedelta(minutes=settings.CLAIM_MINUTES)
    Integration.objects.filter(pk=integration.pk, reviewer=by, claimed_until__isnull=False).update(claimed_until=until)


def put_back(integration: Integration, *, by: Any, now: datetime) -> None:
    """Give one's own integration back to the queue. What another holds is given away by assign() only."""
    with changing(integration, rules.may_decide, by=by, now=now) as row:
        if row.reviewer_id != by.pk:
            raise NotAllowed(
                _("%(reviewer)s has it, not you.") % {"reviewer": row.reviewer}
                if row.reviewer
                else _("Nobody has it."),
                "stale",
            )
        row.reviewer, row.claimed_until = None, None
        row.version -= 1
        record(row, "put_back", by=by, now=now, internal=True)


def assign(integration: Integration, reviewer: Any, *, by: Any, now: datetime) -> None:
    """Name the reviewer. Never one of the integration's own company."""
    if not rules.may_decide(integration, reviewer):
        raise NotAllowed(
            _("%(reviewer)s cannot review this: not a reviewer, or of the same company.") % {"reviewer": reviewer},
            "may",
        )
    with changing(integration, rules.may_assign, by=by, now=now) as row:
        row.reviewer, row.claimed_until = reviewer, None
        record(row, "assigned", by=by, now=now, internal=True, reviewer=str(reviewer))


def raise_finding(integration: Integration, requirement_id: str, text: str, *, by: Any, now: datetime) -> Finding:
    """Write a finding, tied to a requirement. The partner sees it when changes are requested."""
    if not text.strip():
        raise NotAllowed(_("Say what should change."))
    with changing(integration, rules.may_decide, by=by, now=now) as row:
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
        raised_at=now, due_at=clock.due_business(now, FINDING_DAYS, PROGRAM_CALENDAR),
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
    _set(finding, Finding.State.FIXED, "finding_fixed", rules.may_edit, by=by, now=now, note=answer, **fields)


def verify_finding(finding: Finding, *, by: Any, now: datetime) -> None:
    """The reviewer agrees that it is settled."""
    fields = {"verified_by": by, "verified_at": now}
    _set(finding, Finding.State.VERIFIED, "finding_verified", rules.may_decide, by=by, now=now, **fields)


def reopen_finding(finding: Finding, *, by: Any, now: datetime, note: str = "") -> None:
    """It is not settled after all."""
    fields = {"verified_by": None, "verified_at": None}
    _set(finding, Finding.State.OPEN, "finding_reopened", rules.may_decide, by=by, now=now, note=note, **fields)


def say(integration: Integration, body: str, *, by: Any, now: datetime, internal: bool = False) -> Message:
    """Say something in the thread, or, for the program, keep a note that the partner never sees."""
    if not body.strip():
        raise NotAllowed(_("There is nothing to say yet."))
    rule = rules.may_note if internal else rules.may_speak
    with changing(integration, rule, by=by, now=now) as row:
        message = row.messages.create(author=by, body=body.strip(), internal=internal, at=now)
        from_program = rules.works_for_program(by) and not rules.role_of(row.partner, by)
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


def change_profile(user: Any, fields: Mapping[str, Any], *, by: Any) -> ReviewerProfile:
    """Say what a reviewer takes on: programs, away_from, away_until, most_open. Each for themselves."""
    if by.pk != user.pk or not user.is_reviewer:
        raise NotAllowed(gettext("Reviewers say for themselves what they take on."), "may")
    profile, _ = ReviewerProfile.objects.update_or_create(user=user, defaults=dict(fields))
    return profile
