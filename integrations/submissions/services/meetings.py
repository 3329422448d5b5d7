"""Meetings: one side proposes times, the other accepts one, and the program records the items shown."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.programs.requirements import Requirement
from integrations.submissions.calendar_invites import CANCEL_METHOD, REQUEST_METHOD, build_invitation
from integrations.submissions.models import Integration, Meeting
from integrations.submissions.services.requirements import OTHER_PARTY, RequirementChange, change_requirement
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject

MAX_PROPOSED_TIMES = 5
MAX_ADVANCE_PERIOD = timedelta(days=366)
State = Meeting.State


@dataclass(frozen=True, slots=True)
class MeetingProposal:
    """One to five aware times, the location, and the duration in minutes."""

    times: tuple[datetime, ...]
    place: str
    minutes: int

    def list_iso_times(self) -> list[str]:
        # One form for equal proposals, so that a form that was sent twice is recognized below.
        return [moment.astimezone(UTC).isoformat(timespec="minutes") for moment in sorted(set(self.times))]


def get_current_meeting(integration: Integration, requirement_id: str) -> Meeting | None:
    """Return the newest meeting of a requirement in any state."""
    rows = integration.meetings.filter(requirement_id=requirement_id).select_related("proposed_by")
    return rows.order_by("-created_at", "-pk").first()


def list_proposed_times(meeting: Meeting) -> list[datetime]:
    """Return the proposed times in UTC, earliest first."""
    return [datetime.fromisoformat(text) for text in meeting.times]


def get_proposer(meeting: Meeting) -> ResponsibleParty:
    return ResponsibleParty.PROGRAM if meeting.by_program else ResponsibleParty.PARTNER


def is_completed(meeting: Meeting, requirement: Requirement) -> bool:
    """Return whether the meeting took place and all items were shown."""
    return meeting.state == State.COMPLETED and all(meeting.items.get(item) for item in requirement.meeting_items)


def propose_times(
    integration: Integration, requirement_id: str, proposal: MeetingProposal, *, actor: User | None, now: datetime
) -> Meeting:
    """Propose times: for a new meeting, instead of the other side's times, or to reschedule.

    The scheduled time stays on the row because calendars have it until they receive another one.
    """
    _validate_times(proposal, now)
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        meeting = get_current_meeting(change.integration, requirement_id)
        if meeting is not None and is_completed(meeting, change.requirement):
            raise ActionRefused(_("This meeting already took place."), "invalid-transition")
        # Items that were shown in an earlier meeting stay shown.
        if meeting is None or meeting.state in (State.COMPLETED, State.CANCELED):
            meeting = Meeting(
                integration=change.integration,
                requirement_id=requirement_id,
                created_at=now,
                items=meeting.items if meeting else {},
            )
        # RFC 5545, section 3.8.7.4: the organizer increments SEQUENCE with each significant revision of an event.
        elif meeting.state == State.SCHEDULED:
            meeting.sequence += 1
        by_program = change.acting_party == ResponsibleParty.PROGRAM
        proposed_values = (by_program, proposal.list_iso_times(), proposal.place, proposal.minutes)
        current_values = (meeting.by_program, meeting.times, meeting.place, meeting.minutes)
        if meeting.pk and meeting.state == State.PROPOSED and proposed_values == current_values:
            return meeting
        meeting.by_program, meeting.times, meeting.place, meeting.minutes = proposed_values
        meeting.state = State.PROPOSED
        meeting.proposed_by = actor
        meeting.save()
        _await_party(change, "meeting.proposed", OTHER_PARTY[get_proposer(meeting)], "Times proposed.", meeting)
    return meeting


def _validate_times(proposal: MeetingProposal, now: datetime) -> None:
    if not proposal.times:
        raise ActionRefused(_("Propose at least one time."), "validation-error")
    if len(proposal.list_iso_times()) > MAX_PROPOSED_TIMES:
        raise ActionRefused(_("Propose up to %(limit)s times.") % {"limit": MAX_PROPOSED_TIMES}, "validation-error")
    if min(proposal.times) <= now:
        raise ActionRefused(_("Propose only times in the future."), "validation-error")
    if max(proposal.times) > now + MAX_ADVANCE_PERIOD:
        raise ActionRefused(_("Propose only times within the next year."), "validation-error")


def accept_time(meeting: Meeting, moment: datetime, *, actor: AnyUser, now: datetime, place: str = "") -> Meeting:
    """Accept one of the times that the other side proposed, and set the location if it is missing."""
    with _change_meeting(meeting, actor=actor, now=now) as (change, row):
        # The form was sent twice.
        if row.state == State.SCHEDULED and row.starts_at == moment:
            return row
        if row.state != State.PROPOSED or moment not in list_proposed_times(row):
            raise ActionRefused(_("This time is no longer available. Reload the page."), "conflict")
        if change.acting_party == get_proposer(row):
            raise ActionRefused(_("Your side proposed these times. The other side must accept one."), "forbidden")
        if moment <= now:
            raise ActionRefused(_("This time has passed. Select another one, or propose new times."), "conflict")
        row.state = State.SCHEDULED
        row.starts_at = moment
        row.place = row.place or place
        row.save()
        calendar = _build_invitation(change, row, REQUEST_METHOD)
        program = ResponsibleParty.PROGRAM
        _await_party(change, "meeting.scheduled", program, "Meeting scheduled.", row, calendar=calendar)
    return row


def cancel_meeting(meeting: Meeting, *, reason: str, actor: AnyUser, now: datetime) -> None:
    """Cancel a meeting or a proposal, and update the calendars."""
    with _change_meeting(meeting, actor=actor, now=now) as (change, row):
        if row.state == State.CANCELED:
            return
        if row.state == State.COMPLETED:
            raise ActionRefused(_("This meeting already took place."), "invalid-transition")
        event_data = {}
        # Even if no one has accepted new times yet: the calendars still have the earlier one.
        if row.starts_at is not None:
            row.sequence += 1
            event_data = {"calendar": _build_invitation(change, row, CANCEL_METHOD)}
        row.state = State.CANCELED
        row.save()
        event_data |= _build_event_data(row) | {"reason": reason}
        summary = "Canceled. Propose new times."
        change.answer("meeting.canceled", {}, status=Status.OPEN, summary=summary, note=reason, **event_data)


def complete_meeting(
    meeting: Meeting, shown_items: Iterable[str], *, notes: str, actor: AnyUser, now: datetime
) -> Meeting:
    """Record that a meeting took place and which items were shown. All items complete the requirement."""
    with _change_meeting(meeting, actor=actor, now=now) as (change, row):
        change.require_permission(permissions.can_decide)
        if is_completed(row, change.requirement):
            return row
        if row.state not in (State.SCHEDULED, State.COMPLETED) or row.starts_at is None:
            raise ActionRefused(_("No time is scheduled yet."), "conflict")
        if row.starts_at > now:
            raise ActionRefused(_("The meeting has not started yet."))
        checked_items = set(shown_items)
        items = change.requirement.meeting_items
        # What an earlier meeting showed stays shown, so several meetings can cover the agenda.
        row.items = {item: item in checked_items or bool(row.items.get(item)) for item in items}
        row.state = State.COMPLETED
        row.save()
        _answer_completed(change, row, notes.strip())
    return row


def _answer_completed(change: RequirementChange, meeting: Meeting, notes: str) -> None:
    open_items = [item for item in change.requirement.meeting_items if not meeting.items[item]]
    data = {"held": f"{meeting.starts_at:%Y-%m-%d}", "notes": notes}
    change.answer(
        "meeting.completed",
        # Only the program records items, so it is responsible for those that are left.
        data | ({"waits_for": str(ResponsibleParty.PROGRAM)} if open_items else {}),
        status=Status.AWAITING_OTHER_PARTY if open_items else Status.SUBMITTED,
        summary=f"Completed. Open items: {'; '.join(open_items)}." if open_items else "",
        note=notes,
        left=open_items,
        **_build_event_data(meeting),
    )


@contextmanager
def _change_meeting(meeting: Meeting, *, actor: AnyUser, now: datetime) -> Iterator[tuple[RequirementChange, Meeting]]:
    """Lock the integration of a meeting and load the meeting again."""
    with change_requirement(meeting.integration, meeting.requirement_id, actor=actor, now=now) as change:
        yield change, change.integration.meetings.select_related("integration").get(pk=meeting.pk)


def _await_party(
    change: RequirementChange, event_type: str, party: ResponsibleParty, summary: str, meeting: Meeting, **data: str
) -> None:
    """Answer the requirement with a meeting that waits for a party."""
    change.answer(
        event_type,
        {"waits_for": str(party)},
        status=Status.AWAITING_OTHER_PARTY,
        summary=summary,
        **_build_event_data(meeting),
        **data,
    )


def _build_invitation(change: RequirementChange, meeting: Meeting, method: str) -> str:
    invitees = list_invitees(change.integration)
    return build_invitation(meeting, invitees, title=change.requirement.title, now=change.now, method=method)


def list_invitees(integration: Integration) -> list[User]:
    """Return the owners and editors of the partner, and the reviewer or else the alliances manager."""
    program_users = (integration.reviewer, integration.partner.alliances_manager)
    active_users = [user for user in program_users if user is not None and user.is_active]
    return [*integration.partner.list_members(Role.OWNER, Role.EDITOR), *active_users[:1]]


def _build_event_data(meeting: Meeting) -> JsonObject:
    """Return the meeting data of the event and its email, with times in UTC."""
    starts_at = meeting.starts_at.astimezone(UTC).isoformat(timespec="minutes") if meeting.starts_at else ""
    return {
        "meeting": str(meeting.uuid),
        "times": meeting.times,
        "starts_at": starts_at,
        "minutes": meeting.minutes,
        "place": meeting.place,
        "by_program": meeting.by_program,
    }
