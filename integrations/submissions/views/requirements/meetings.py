"""Meetings on the requirement page, and their calendar files."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.submissions import calendar_invites
from integrations.submissions.forms.meetings import (
    MeetingAcceptanceForm,
    MeetingCancellationForm,
    MeetingCompletionForm,
    MeetingProposalForm,
)
from integrations.submissions.models import Integration, Meeting
from integrations.submissions.services import meetings
from integrations.submissions.services.meetings import MeetingProposal, State
from integrations.submissions.services.requirements import get_acting_party
from integrations.submissions.views.requirements.page import RequirementAction, RequirementKindPage, RequirementPage
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues, TemplateContext


def get_meeting(page: RequirementPage) -> Meeting | None:
    return meetings.get_current_meeting(page.integration, page.requirement.id)


def get_meeting_in_state(page: RequirementPage, *states: str) -> Meeting | None:
    """Return the meeting if it is in one of the states."""
    meeting = get_meeting(page)
    return meeting if meeting is not None and meeting.state in states else None


def can_propose(page: RequirementPage) -> bool:
    meeting = get_meeting(page)
    return page.can_answer and not (meeting and meetings.is_completed(meeting, page.requirement))


def can_accept(page: RequirementPage) -> bool:
    meeting = get_meeting_in_state(page, State.PROPOSED)
    return bool(
        page.can_answer and meeting and meetings.get_proposer(meeting) != get_acting_party(page.integration, page.user)
    )


def can_cancel(page: RequirementPage) -> bool:
    return page.can_answer and bool(get_meeting_in_state(page, State.PROPOSED, State.SCHEDULED))


def can_complete(page: RequirementPage) -> bool:
    meeting = get_meeting_in_state(page, State.SCHEDULED, State.COMPLETED)
    has_begun = meeting is not None and meeting.starts_at is not None and meeting.starts_at <= page.now
    return bool(page.can_decide and has_begun and meeting and not meetings.is_completed(meeting, page.requirement))


def get_proposal_arguments(page: RequirementPage) -> NamedValues:
    meeting = get_meeting_in_state(page, State.PROPOSED, State.SCHEDULED)
    return {"initial": {"place": meeting.place, "minutes": meeting.minutes} if meeting else {}}


def propose_times(page: RequirementPage, data: NamedValues) -> str:
    page.call(meetings.propose_times, MeetingProposal(data["times"], data["place"], data["minutes"]))
    return _("Times proposed. The other side can accept one or propose others.")


def get_acceptance_arguments(page: RequirementPage) -> NamedValues:
    meeting = get_meeting(page)
    times = meetings.list_proposed_times(meeting) if meeting else []
    # A proposal can be older than its first times, which the service refuses.
    return {"times": [time for time in times if time > page.now], "has_place": bool(meeting and meeting.place)}


def accept_time(page: RequirementPage, data: NamedValues) -> str:
    time, place = data["time"], data.get("place", "")
    meetings.accept_time(_require_meeting(page), time, actor=page.user, now=page.now, place=place)
    return _("Meeting scheduled. All participants receive a calendar invitation by email.")


def cancel_meeting(page: RequirementPage, data: NamedValues) -> str:
    meetings.cancel_meeting(_require_meeting(page), reason=data["reason"], actor=page.user, now=page.now)
    return _("Meeting canceled. We notified the other side.")


def list_checked_items(page: RequirementPage) -> list[tuple[str, str]]:
    """Return items that passed a check, with its summary; the form preselects them."""
    states = page.integration.fulfillments_by_id
    hinted_states = [(item, states.get(id)) for item, id in page.requirement.meeting_hints]
    return [(item, state.summary) for item, state in hinted_states if state is not None and state.is_met(page.now)]


def get_completion_arguments(page: RequirementPage) -> NamedValues:
    meeting, checked_items = get_meeting(page), [item for item, _ in list_checked_items(page)]
    # Preselected only: a person decides whether a passed test run or an earlier meeting showed an item.
    shown_items = [item for item, is_shown in meeting.items.items() if is_shown] if meeting else []
    return {
        "items": page.requirement.meeting_items,
        "shown_items": [*shown_items, *checked_items],
        "initial": {"notes": page.state.data.get("notes", "")},
    }


def complete_meeting(page: RequirementPage, data: NamedValues) -> str:
    meeting, shown_items = _require_meeting(page), data.get("shown", [])
    meeting = meetings.complete_meeting(meeting, shown_items, notes=data["notes"], actor=page.user, now=page.now)
    if meetings.is_completed(meeting, page.requirement):
        return _("“%(title)s” is complete.") % {"title": page.requirement.title}
    return _("Meeting saved. You can record open items later or in another meeting.")


def _require_meeting(page: RequirementPage) -> Meeting:
    meeting = get_meeting(page)
    if meeting is None:
        raise ActionRefused(_("No meeting proposed yet."), "invalid-transition")
    return meeting


def build_meeting_context(page: RequirementPage) -> TemplateContext:
    meeting = get_meeting(page)
    return {
        "meeting": meeting,
        "checked_items": list_checked_items(page),
        "times": meetings.list_proposed_times(meeting) if meeting else [],
        "proposer_name": _("the program") if meeting and meeting.by_program else page.integration.partner.name,
        "is_program": get_acting_party(page.integration, page.user) == ResponsibleParty.PROGRAM,
    }


def download_meeting(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Return a scheduled meeting as a calendar file."""
    visible = Integration.objects.visible_to(request.user)
    rows = Meeting.objects.select_related("integration__partner__alliances_manager", "integration__reviewer")
    meeting = get_object_or_404(rows, uuid=uuid, integration__in=visible, state__in=(State.SCHEDULED, State.COMPLETED))
    requirement = meeting.integration.edition.get_requirement(meeting.requirement_id)
    title = requirement.title if requirement else _("Meeting")
    invitees = meetings.list_invitees(meeting.integration)
    text = calendar_invites.build_invitation(
        meeting, invitees, title=title, now=timezone.now(), method=calendar_invites.PUBLISH_METHOD
    )
    headers = {"Content-Disposition": 'attachment; filename="meeting.ics"', "Cache-Control": "private, no-store"}
    return HttpResponse(text, content_type="text/calendar; method=PUBLISH; charset=utf-8", headers=headers)


MEETING_PAGE = RequirementKindPage(
    {
        "propose": RequirementAction(can_propose, MeetingProposalForm, propose_times, get_proposal_arguments),
        "accept": RequirementAction(can_accept, MeetingAcceptanceForm, accept_time, get_acceptance_arguments),
        "cancel": RequirementAction(can_cancel, MeetingCancellationForm, cancel_meeting),
        "hold": RequirementAction(can_complete, MeetingCompletionForm, complete_meeting, get_completion_arguments),
    },
    build_meeting_context,
)
