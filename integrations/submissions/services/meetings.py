"""Meetings: one side proposes times, the other accepts one, and the program records the items shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.programs.requirements import Requirement
from integrations.submissions.calendar_invites import CANCEL_METHOD, REQUEST_METHOD, build_invitation
from integrations.submissions.models import Integration, Meeting
from integrations.submissions.services.requirements import (
    OTHER_PARTY,
    get_acting_party,
    submission_changes,
    submit_answer,
)
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
    """Whether the meeting took place and all items were shown."""
    return meeting.state == State.COMPLETED and all(meeting.items.get(item) for item in requirement.meeting_items)


def propose_times(
    integration: Integration, requirement_id: str, proposal: MeetingProposal, *, actor: User | None, now: datetime
) -> Meeting:
    """Propose times: for a new meeting, instead of the other side's times, or to reschedule.

    The scheduled time stays on the row because calendars have it until they receive another one.
    """
    _validate_times(proposal, now)
    with submission_changes(integration, requirement_id, actor=actor) as (locked_integration, requirement):
        meeting = get_current_meeting(locked_integration, requirement_id)
        if meeting is not None and is_completed(meeting, requirement):
            raise ActionRefused(_("This meeting already took place."), "invalid-transition")
        by_program = get_acting_party(locked_integration, actor) == ResponsibleParty.PROGRAM
        if meeting is None or meeting.state in (State.COMPLETED, State.CANCELED):
            shown_items = meeting.items if meeting else {}
            meeting = Meeting(
                integration=locked_integration, requirement_id=requirement_id, created_at=now, items=shown_items
            )
        elif meeting.state == State.SCHEDULED:
            meeting.sequence += 1
        proposed_values = (by_program, proposal.list_iso_times(), proposal.place, proposal.minutes)
        current_values = (meeting.by_program, meeting.times, meeting.place, meeting.minutes)
        if meeting.pk and meeting.state == State.PROPOSED and proposed_values == current_values:
            return meeting
        meeting.by_program, meeting.times, meeting.place, meeting.minutes = proposed_values
        meeting.state, meeting.proposed_by = State.PROPOSED, actor
        meeting.save()
        waits_for = OTHER_PARTY[get_proposer(meeting)]
        _answer_requirement(
            locked_integration, requirement, "meeting.proposed", waits_for, _build_event_data(meeting), actor, now
        )
    return meeting


def _validate_times(proposal: MeetingProposal, now: datetime) -> None:
    if not proposal.times:
        raise ActionRefused(_("Propose at least one time."))
    if len(proposal.list_iso_times()) > MAX_PROPOSED_TIMES:
        raise ActionRefused(_("Propose up to %(limit)s times.") % {"limit": MAX_PROPOSED_TIMES})
    if min(proposal.times) <= now:
        raise ActionRefused(_("Propose only times in the future."))
    if max(proposal.times) > now + MAX_ADVANCE_PERIOD:
        raise ActionRefused(_("Propose only times within the next year."))


def accept_time(meeting: Meeting, moment: datetime, *, actor: AnyUser, now: datetime, place: str = "") -> Meeting:
    """Accept one of the times that the other side proposed, and set the location if it is missing."""
    with submission_changes(meeting.integration, meeting.requirement_id, actor=actor) as (
        locked_integration,
        requirement,
    ):
        locked_meeting = locked_integration.meetings.select_related("integration").get(pk=meeting.pk)
        if locked_meeting.state == State.SCHEDULED and locked_meeting.starts_at == moment:
            return locked_meeting
        if locked_meeting.state != State.PROPOSED or moment not in list_proposed_times(locked_meeting):
            raise ActionRefused(_("This time is no longer available. Reload the page."), "conflict")
        if get_acting_party(locked_integration, actor) == get_proposer(locked_meeting):
            raise ActionRefused(_("Your side proposed these times. The other side must accept one."), "forbidden")
        if moment <= now:
            raise ActionRefused(_("This time has passed. Select another one, or propose new times."), "conflict")
        locked_meeting.state, locked_meeting.starts_at, locked_meeting.place = (
            State.SCHEDULED,
            moment,
            locked_meeting.place or place,
        )
        locked_meeting.save()
        calendar = build_invitation(
            locked_meeting, list_invitees(locked_integration), title=requirement.title, now=now, method=REQUEST_METHOD
        )
        _answer_requirement(
            locked_integration,
            requirement,
            "meeting.scheduled",
            ResponsibleParty.PROGRAM,
            _build_event_data(locked_meeting, calendar),
            actor,
            now,
        )
    return locked_meeting


def cancel_meeting(meeting: Meeting, *, reason: str, actor: AnyUser, now: datetime) -> None:
    """Cancel a meeting or a proposal, and update the calendars."""
    if not reason.strip():
        raise ActionRefused(_("Enter a reason. We send it to the other side."))
    with submission_changes(meeting.integration, meeting.requirement_id, actor=actor) as (
        locked_integration,
        requirement,
    ):
        locked_meeting = locked_integration.meetings.select_related("integration").get(pk=meeting.pk)
        if locked_meeting.state == State.CANCELED:
            return
        if locked_meeting.state == State.COMPLETED:
            raise ActionRefused(_("This meeting already took place."), "invalid-transition")
        calendar = ""
        if locked_meeting.starts_at is not None:
            locked_meeting.sequence += 1
            calendar = build_invitation(
                locked_meeting,
                list_invitees(locked_integration),
                title=requirement.title,
                now=now,
                method=CANCEL_METHOD,
            )
        locked_meeting.state = State.CANCELED
        locked_meeting.save()
        event_data = _build_event_data(locked_meeting, calendar) | {"reason": reason.strip()}
        submit_answer(
            locked_integration,
            requirement.id,
            {},
            actor=actor,
            now=now,
            rule=permissions.can_take_part,
            status=Status.OPEN,
            event_type="meeting.canceled",
            extra_data=event_data,
            summary="Canceled. Propose new times.",
            note=reason.strip(),
        )


def complete_meeting(
    meeting: Meeting, shown_items: Iterable[str], *, notes: str, actor: AnyUser, now: datetime
) -> Meeting:
    """Record that a meeting took place and which items were shown. All items complete the requirement."""
    with submission_changes(meeting.integration, meeting.requirement_id, actor=actor) as (
        locked_integration,
        requirement,
    ):
        if actor is not None and not permissions.can_decide(locked_integration, actor):
            raise ActionRefused(permissions.get_refusal("can_decide"), "forbidden")
        locked_meeting = locked_integration.meetings.get(pk=meeting.pk)
        if is_completed(locked_meeting, requirement):
            return locked_meeting
        if locked_meeting.state not in (State.SCHEDULED, State.COMPLETED) or locked_meeting.starts_at is None:
            raise ActionRefused(_("No time is scheduled yet."), "conflict")
        if locked_meeting.starts_at > now:
            raise ActionRefused(_("The meeting has not started yet."))
        checked_items = set(shown_items)
        locked_meeting.items = {
            item: item in checked_items or bool(locked_meeting.items.get(item)) for item in requirement.meeting_items
        }
        locked_meeting.state = State.COMPLETED
        locked_meeting.save()
        _answer_completed(locked_integration, requirement, locked_meeting, notes.strip(), actor, now)
    return locked_meeting


def _answer_completed(
    integration: Integration, requirement: Requirement, meeting: Meeting, notes: str, actor: AnyUser, now: datetime
) -> None:
    open_items = [item for item in requirement.meeting_items if not meeting.items[item]]
    data: dict[str, object] = {"held": f"{meeting.starts_at:%Y-%m-%d}", "notes": notes}
    summary = f"Completed. Open items: {'; '.join(open_items)}." if open_items else ""
    submit_answer(
        integration,
        requirement.id,
        data | ({"waits_for": str(ResponsibleParty.PROGRAM)} if open_items else {}),
        actor=actor,
        now=now,
        status=Status.AWAITING_OTHER_PARTY if open_items else Status.SUBMITTED,
        rule=permissions.can_take_part,
        event_type="meeting.completed",
        summary=summary,
        extra_data=_build_event_data(meeting) | {"left": open_items},
        note=notes,
    )


def list_invitees(integration: Integration) -> list[User]:
    """Return the owners and editors of the partner, and the reviewer or else the alliances manager."""
    memberships = integration.partner.memberships.filter(ended_at=None, user__is_active=True).exclude(role=Role.VIEWER)
    partner_users = [membership.user for membership in memberships.select_related("user").order_by("pk")]
    program_user = integration.reviewer or integration.partner.alliances_manager
    return [*partner_users, program_user] if program_user else partner_users


def _build_event_data(meeting: Meeting, calendar: str = "") -> JsonObject:
    """Return the meeting data of the event and its email, with times in UTC."""
    starts_at = meeting.starts_at.astimezone(UTC).isoformat(timespec="minutes") if meeting.starts_at else ""
    return {
        "meeting": str(meeting.uuid),
        "times": meeting.times,
        "starts_at": starts_at,
        "minutes": meeting.minutes,
        "place": meeting.place,
        "by_program": meeting.by_program,
        **({"calendar": calendar} if calendar else {}),
    }


def _answer_requirement(
    integration: Integration,
    requirement: Requirement,
    event_type: str,
    waits_for: ResponsibleParty,
    event_data: JsonObject,
    actor: AnyUser | None,
    now: datetime,
) -> None:
    summaries = {"meeting.proposed": "Times proposed.", "meeting.scheduled": "Meeting scheduled."}
    submit_answer(
        integration,
        requirement.id,
        {"waits_for": str(waits_for)},
        actor=actor,
        now=now,
        rule=permissions.can_take_part,
        event_type=event_type,
        status=Status.AWAITING_OTHER_PARTY,
        summary=summaries[event_type],
        extra_data=event_data,
    )
