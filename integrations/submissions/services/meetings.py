"""How do two sides meet? One proposes times, the other accepts one; afterwards the program ticks what was shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.programs.schema import Requirement
from integrations.submissions.calendar_invites import CANCEL, REQUEST, invite
from integrations.submissions.models import Integration, Meeting
from integrations.submissions.services.requirements import OTHER, answer, handing_in, side_of
from integrations.submissions.workflow.states import Holder, Status
from portal.core.errors import NotAllowed

MOST_TIMES = 5
FARTHEST = timedelta(days=366)
State = Meeting.State


@dataclass(frozen=True, slots=True)
class Proposal:
    """1 to 5 aware moments, where, and how long in minutes."""

    times: tuple[datetime, ...]
    place: str
    minutes: int

    def as_iso(self) -> list[str]:
        return [moment.astimezone(UTC).isoformat(timespec="minutes") for moment in sorted(set(self.times))]


def current(integration: Integration, requirement_id: str) -> Meeting | None:
    """The newest meeting for a requirement, whatever became of it."""
    rows = integration.meetings.filter(requirement_id=requirement_id).select_related("proposed_by")
    return rows.order_by("-created_at", "-pk").first()


def times_of(meeting: Meeting) -> list[datetime]:
    """The proposed moments, soonest first, in UTC."""
    return [datetime.fromisoformat(text) for text in meeting.times]


def proposer(meeting: Meeting) -> Holder:
    return Holder.PROGRAM if meeting.by_program else Holder.PARTNER


def is_settled(meeting: Meeting, requirement: Requirement) -> bool:
    """Whether it was held and everything was shown."""
    return meeting.state == State.HELD and all(meeting.items.get(item) for item in requirement.meeting_items)


def propose(integration: Integration, requirement_id: str, proposal: Proposal, *, by: Any, now: datetime) -> Meeting:
    """Propose times: the first ones, others instead of the other side's, or new ones for an agreed meeting.

    The moment that was agreed stays on the row: calendars hold it until they are told of another.
    """
    _refuse_times(proposal, now)
    with handing_in(integration, requirement_id, by=by) as (row, requirement):
        meeting = current(row, requirement_id)
        if meeting is not None and is_settled(meeting, requirement):
            raise NotAllowed(_("This meeting was held already."), "gone")
        by_program = side_of(row, by) == Holder.PROGRAM
        if meeting is None or meeting.state in (State.HELD, State.CANCELLED):
            shown = meeting.items if meeting else {}
            meeting = Meeting(integration=row, requirement_id=requirement_id, created_at=now, items=shown)
        elif meeting.state == State.AGREED:
            meeting.sequence += 1
        said = (by_program, proposal.as_iso(), proposal.place, proposal.minutes)
        was = (meeting.by_program, meeting.times, meeting.place, meeting.minutes)
        if meeting.pk and meeting.state == State.PROPOSED and said == was:
            return meeting
        meeting.by_program, meeting.times, meeting.place, meeting.minutes = said
        meeting.state, meeting.proposed_by = State.PROPOSED, by
        meeting.save()
        waits_for = OTHER[proposer(meeting)]
        _answer(row, requirement, "meeting_proposed", waits_for, _told(meeting), by, now)
    return meeting


def _refuse_times(proposal: Proposal, now: datetime) -> None:
    if not proposal.times:
        raise NotAllowed(_("Propose at least one time."))
    if len(proposal.as_iso()) > MOST_TIMES:
        raise NotAllowed(_("Propose at most %(MOST_TIMES)s times.") % {"MOST_TIMES": MOST_TIMES})
    if min(proposal.times) <= now:
        raise NotAllowed(_("Each time must be in the future."))
    if max(proposal.times) > now + FARTHEST:
        raise NotAllowed(_("Each time must be within the next year."))


def accept(meeting: Meeting, moment: datetime, *, by: Any, now: datetime, place: str = "") -> Meeting:
    """Agree on one of the times that the other side proposed. A place, where there is none yet, may be named."""
    with handing_in(meeting.integration, meeting.requirement_id, by=by) as (row, requirement):
        locked = row.meetings.select_related("integration").get(pk=meeting.pk)
        if locked.state == State.AGREED and locked.starts_at == moment:
            return locked
        if locked.state != State.PROPOSED or moment not in times_of(locked):
            raise NotAllowed(_("This time is no longer proposed. Look at what is."), "stale")
        if side_of(row, by) == proposer(locked):
            raise NotAllowed(_("Your side proposed these times: the other side accepts one."), "may")
        if moment <= now:
            raise NotAllowed(_("This time has passed. Choose another, or propose new ones."), "stale")
        locked.state, locked.starts_at, locked.place = State.AGREED, moment, locked.place or place
        locked.save()
        calendar = invite(locked, people_of(row), title=requirement.title, now=now, method=REQUEST)
        _answer(row, requirement, "meeting_agreed", Holder.PROGRAM, _told(locked, calendar), by, now)
    return locked


def cancel(meeting: Meeting, *, reason: str, by: Any, now: datetime) -> None:
    """Call a meeting off, or take a proposal back. Calendars that hold it are told."""
    if not reason.strip():
        raise NotAllowed(_("Say why, so that the other side knows."))
    with handing_in(meeting.integration, meeting.requirement_id, by=by) as (row, requirement):
        locked = row.meetings.select_related("integration").get(pk=meeting.pk)
        if locked.state == State.CANCELLED:
            return
        if locked.state == State.HELD:
            raise NotAllowed(_("This meeting was held already."), "gone")
        calendar = ""
        if locked.starts_at is not None:
            locked.sequence += 1
            calendar = invite(locked, people_of(row), title=requirement.title, now=now, method=CANCEL)
        locked.state = State.CANCELLED
        locked.save()
        told = _told(locked, calendar) | {"reason": reason.strip()}
        answer(
            row, requirement.id, {}, by=by, now=now, rule=permissions.may_meet, status=Status.OPEN,
            verb="meeting_cancelled", told=told, summary="Cancelled: propose new times.", note=reason.strip(),
        )  # fmt: skip


def hold(meeting: Meeting, shown: Iterable[str], *, notes: str, by: Any, now: datetime) -> Meeting:
    """Say that it was held and tick what was shown there. With everything ticked the requirement is met."""
    with handing_in(meeting.integration, meeting.requirement_id, by=by) as (row, requirement):
        if by is not None and not permissions.may_decide(row, by):
            raise NotAllowed(permissions.refusal("may_decide"), "may")
        locked = row.meetings.get(pk=meeting.pk)
        if is_settled(locked, requirement):
            return locked
        if locked.state not in (State.AGREED, State.HELD) or locked.starts_at is None:
            raise NotAllowed(_("No time is agreed yet."), "stale")
        if locked.starts_at > now:
            raise NotAllowed(_("The meeting has not begun yet."))
        ticked = set(shown)
        locked.items = {item: item in ticked or bool(locked.items.get(item)) for item in requirement.meeting_items}
        locked.state = State.HELD
        locked.save()
        _answer_held(row, requirement, locked, notes.strip(), by, now)
    return locked


def _answer_held(
    row: Integration, requirement: Requirement, meeting: Meeting, notes: str, by: Any, now: datetime
) -> None:
    left = [item for item in requirement.meeting_items if not meeting.items[item]]
    data: dict[str, Any] = {"held": f"{meeting.starts_at:%Y-%m-%d}", "notes": notes}
    summary = f"Held. Still to be shown: {'; '.join(left)}." if left else ""
    answer(
        row,
        requirement.id,
        data | ({"waits_for": str(Holder.PROGRAM)} if left else {}),
        by=by,
        now=now,
        status=Status.WAITING if left else Status.GIVEN,
        rule=permissions.may_meet,
        verb="meeting_held",
        summary=summary,
        told=_told(meeting) | {"left": left},
        note=notes,
    )


def people_of(row: Integration) -> list[Any]:
    """Who is invited: the company's owners and editors, and the reviewer, else the Alliances manager."""
    team = row.partner.memberships.filter(ended_at=None, user__is_active=True).exclude(role=Role.VIEWER)
    company = [member.user for member in team.select_related("user").order_by("pk")]
    program = row.reviewer or row.partner.alliances_manager
    return [*company, program] if program else company


def _told(meeting: Meeting, calendar: str = "") -> dict[str, Any]:
    """What the event and its mail say of a meeting; moments in UTC."""
    starts = meeting.starts_at.astimezone(UTC).isoformat(timespec="minutes") if meeting.starts_at else ""
    return {
        "meeting": str(meeting.uuid),
        "times": meeting.times,
        "starts_at": starts,
        "minutes": meeting.minutes,
        "place": meeting.place,
        "by_program": meeting.by_program,
        **({"calendar": calendar} if calendar else {}),
    }


def _answer(
    row: Integration,
    requirement: Requirement,
    verb: str,
    waits_for: Holder,
    told: dict[str, Any],
    by: Any,
    now: datetime,
) -> None:
    summaries = {"meeting_proposed": "Times are proposed.", "meeting_agreed": "A time is agreed."}
    answer(
        row, requirement.id, {"waits_for": str(waits_for)}, by=by, now=now, rule=permissions.may_meet, verb=verb,
        status=Status.WAITING, summary=summaries[verb], told=told,
    )  # fmt: skip
