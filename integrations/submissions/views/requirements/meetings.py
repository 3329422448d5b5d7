"""Meetings on the requirement page, and their calendar files."""

from typing import Unpack
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
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    make_form_factory,
)
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.requests import AuthenticatedRequest
from portal.core.django_arguments import BoundFormArguments
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext


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


def can_complete(page: RequirementPage) -> bool:
    meeting = get_meeting_in_state(page, State.SCHEDULED, State.COMPLETED)
    has_begun = meeting is not None and meeting.starts_at is not None and meeting.starts_at <= page.now
    return bool(page.can_decide and has_begun and meeting and not meetings.is_completed(meeting, page.requirement))


def build_proposal_form(page: RequirementPage, **form_kwargs: Unpack[BoundFormArguments]) -> MeetingProposalForm:
    meeting = get_meeting_in_state(page, State.PROPOSED, State.SCHEDULED)
    initial = {"place": meeting.place, "minutes": meeting.minutes} if meeting else {}
    return MeetingProposalForm(initial=initial, **form_kwargs)


def propose_times(page: RequirementPage, form: MeetingProposalForm) -> str:
    data = form.cleaned_data
    proposal = MeetingProposal(data["times"], data["place"], data["minutes"])
    meetings.propose_times(page.integration, page.requirement.id, proposal, actor=page.user, now=page.now)
    return _("Times proposed. The other side can accept one or propose others.")


def build_acceptance_form(page: RequirementPage, **form_kwargs: Unpack[BoundFormArguments]) -> MeetingAcceptanceForm:
    meeting = get_meeting(page)
    times = meetings.list_proposed_times(meeting) if meeting else []
    return MeetingAcceptanceForm(
        [time for time in times if time > page.now], has_place=bool(meeting and meeting.place), **form_kwargs
    )


def accept_time(page: RequirementPage, form: MeetingAcceptanceForm) -> str:
    data = form.cleaned_data
    meetings.accept_time(
        _require_meeting(page), data["time"], actor=page.user, now=page.now, place=data.get("place", "")
    )
    return _("Meeting scheduled. All participants receive a calendar invitation by email.")


def cancel_meeting(page: RequirementPage, form: MeetingCancellationForm) -> str:
    meetings.cancel_meeting(_require_meeting(page), reason=form.cleaned_data["reason"], actor=page.user, now=page.now)
    return _("Meeting canceled. We notified the other side.")


def list_checked_items(page: RequirementPage) -> list[tuple[str, str]]:
    """Return items that passed a check, with its summary; the form preselects them."""
    states = page.integration.fulfillments_by_id
    hinted_states = [(item, states.get(id)) for item, id in page.requirement.meeting_hints]
    return [(item, state.summary) for item, state in hinted_states if state is not None and state.is_met(page.now)]


def build_completion_form(page: RequirementPage, **form_kwargs: Unpack[BoundFormArguments]) -> MeetingCompletionForm:
    meeting = get_meeting(page)
    shown_items = [item for item, is_shown in meeting.items.items() if is_shown] if meeting else []
    shown_items += [item for item, _ in list_checked_items(page) if item not in shown_items]
    return MeetingCompletionForm(
        page.requirement.meeting_items, shown_items, initial={"notes": page.state.data.get("notes", "")}, **form_kwargs
    )


def complete_meeting(page: RequirementPage, form: MeetingCompletionForm) -> str:
    data = form.cleaned_data
    completed_meeting = meetings.complete_meeting(
        _require_meeting(page), data.get("shown", []), notes=data["notes"], actor=page.user, now=page.now
    )
    if meetings.is_completed(completed_meeting, page.requirement):
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
    requirement = meeting.integration.edition.requirement(meeting.requirement_id)
    title = requirement.title if requirement else _("Meeting")
    invitees = meetings.list_invitees(meeting.integration)
    text = calendar_invites.build_invitation(
        meeting, invitees, title=title, now=timezone.now(), method=calendar_invites.PUBLISH_METHOD
    )
    headers = {"Content-Disposition": 'attachment; filename="meeting.ics"', "Cache-Control": "private, no-store"}
    return HttpResponse(text, content_type="text/calendar; method=PUBLISH; charset=utf-8", headers=headers)


MEETING_PAGE = RequirementKindPage(
    {
        "propose": RequirementAction(can_propose, build_proposal_form, propose_times),
        "accept": RequirementAction(can_accept, build_acceptance_form, accept_time),
        "cancel": RequirementAction(
            lambda page: page.can_answer and bool(get_meeting_in_state(page, State.PROPOSED, State.SCHEDULED)),
            make_form_factory(MeetingCancellationForm),
            cancel_meeting,
        ),
        "hold": RequirementAction(can_complete, build_completion_form, complete_meeting),
    },
    build_meeting_context,
)
