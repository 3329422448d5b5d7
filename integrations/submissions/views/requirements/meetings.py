"""Meetings on the requirement page, and their calendar files."""

from datetime import datetime
from functools import partial
from typing import Unpack
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from integrations.submissions import calendar_invites
from integrations.submissions.models import Integration, Meeting
from integrations.submissions.services import meetings
from integrations.submissions.services.meetings import MAX_PROPOSED_TIMES, MeetingProposal, State
from integrations.submissions.services.requirements import get_acting_party
from integrations.submissions.views.requirements.page import ActionForm, RequirementKindPage, RequirementPage
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.form_fields import (
    BoundFormArguments,
    FieldArguments,
    MultiLineField,
    SingleLineField,
    UtcDateTimeField,
)
from portal.core.value_types import TemplateContext
from portal.ui.components.moments import format_in_zone

MEETING_MINUTES = (15, 30, 45, 60, 90, 120)
build_place_field = partial(
    SingleLineField,
    label=gettext_lazy("Location"),
    help_text=gettext_lazy("Enter a link to a call or a phone number."),
    max_length=300,
    required=False,
)


def list_durations() -> list[tuple[int, str]]:
    """Return the durations of meetings in minutes, with their labels in the reader's language."""
    return [
        (number, ngettext("%(count)s minute", "%(count)s minutes", number) % {"count": number})
        for number in MEETING_MINUTES
    ]


class LocalDateTimeField(UtcDateTimeField):
    """Time in the reader's time zone."""

    def __init__(self, **kwargs: Unpack[FieldArguments]) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        error_messages = {
            "required": gettext_lazy("Propose at least one time."),
            "invalid": gettext_lazy("Enter a date and time as YYYY-MM-DD HH:MM."),
        }
        super().__init__(widget=widget, error_messages=error_messages, **kwargs)

    def validate(self, value: datetime | None) -> None:
        super().validate(value)
        # A date with a mistyped year can still be valid.
        if value is not None and not 2000 <= value.year <= 2100:
            raise ValidationError(_("Check the year."))


def get_meeting(page: RequirementPage) -> Meeting | None:
    return meetings.get_current_meeting(page.integration, page.requirement.id)


def get_meeting_in_state(page: RequirementPage, *states: str) -> Meeting | None:
    """Return the meeting if it is in one of the states."""
    meeting = get_meeting(page)
    return meeting if meeting is not None and meeting.state in states else None


def _require_meeting(page: RequirementPage) -> Meeting:
    meeting = get_meeting(page)
    if meeting is None:
        raise ActionRefused(_("No meeting proposed yet."), "invalid-transition")
    return meeting


def list_checked_items(page: RequirementPage) -> list[tuple[str, str]]:
    """Return items that passed a check, with its summary; the form preselects them."""
    states = page.integration.fulfillments_by_id
    hinted_states = [(item, states.get(id)) for item, id in page.requirement.meeting_hints]
    return [(item, state.summary) for item, state in hinted_states if state is not None and state.is_met(page.now)]


class MeetingProposalForm(ActionForm):
    """One to five times, the duration, and the location."""

    time_1 = LocalDateTimeField(label=gettext_lazy("Time 1"))
    time_2 = LocalDateTimeField(label=gettext_lazy("Time 2"), required=False)
    time_3 = LocalDateTimeField(label=gettext_lazy("Time 3"), required=False)
    time_4 = LocalDateTimeField(label=gettext_lazy("Time 4"), required=False)
    time_5 = LocalDateTimeField(label=gettext_lazy("Time 5"), required=False)
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("Duration"),
        choices=list_durations,
        coerce=int,
        initial=45,
        error_messages={
            "required": gettext_lazy("Select a duration."),
            "invalid_choice": gettext_lazy("Select a duration from the list."),
        },
    )
    place = build_place_field()

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        meeting = get_meeting_in_state(page, State.PROPOSED, State.SCHEDULED)
        initial = {"place": meeting.place, "minutes": meeting.minutes} if meeting else {}
        super().__init__(page, initial=initial, **kwargs)

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        names = [f"time_{number}" for number in range(1, MAX_PROPOSED_TIMES + 1)]
        for name in names:
            if data.get(name) and data[name] <= timezone.now():
                self.add_error(name, _("Enter a time in the future."))
        data["times"] = tuple(data[name] for name in names if data.get(name))
        return data

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        meeting = get_meeting(page)
        return page.can_answer and not (meeting and meetings.is_completed(meeting, page.requirement))

    def perform(self) -> str:
        data = self.cleaned_data
        self.page.call(meetings.propose_times, MeetingProposal(data["times"], data["place"], data["minutes"]))
        return _("Times proposed. The other side can accept one or propose others.")


class MeetingAcceptanceForm(ActionForm):
    """One of the proposed times, and a location if the proposal has none."""

    time = forms.TypedChoiceField(
        label=gettext_lazy("Time"),
        coerce=datetime.fromisoformat,
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Select a time."),
            "invalid_choice": gettext_lazy("This time is no longer available. Select another one."),
        },
    )
    place = build_place_field()

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, **kwargs)
        meeting = get_meeting(page)
        times = meetings.list_proposed_times(meeting) if meeting else []
        zone = timezone.get_current_timezone()
        # A proposal can be older than its first times, which the service refuses.
        choices = [(time.isoformat(), format_in_zone(time, zone)) for time in times if time > page.now]
        self.fields["time"].choices = choices  # type: ignore[attr-defined]
        if len(choices) == 1:
            self.fields["time"].initial = choices[0][0]
        if meeting and meeting.place:
            del self.fields["place"]

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        meeting = get_meeting_in_state(page, State.PROPOSED)
        is_of_other = meeting and meetings.get_proposer(meeting) != get_acting_party(page.integration, page.user)
        return page.can_answer and bool(is_of_other)

    def perform(self) -> str:
        time = self.cleaned_data["time"]
        place = self.cleaned_data.get("place", "")
        meetings.accept_time(_require_meeting(self.page), time, actor=self.page.user, now=self.page.now, place=place)
        return _("Meeting scheduled. All participants receive a calendar invitation by email.")


class MeetingCancellationForm(ActionForm):
    """Reason for a cancellation."""

    reason = SingleLineField(
        label=gettext_lazy("Reason"),
        max_length=300,
        error_messages={"required": gettext_lazy("Enter a reason. We send it to the other side.")},
    )

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_answer and bool(get_meeting_in_state(page, State.PROPOSED, State.SCHEDULED))

    def perform(self) -> str:
        meeting = _require_meeting(self.page)
        reason = self.cleaned_data["reason"]
        meetings.cancel_meeting(meeting, reason=reason, actor=self.page.user, now=self.page.now)
        return _("Meeting canceled. We notified the other side.")


class MeetingCompletionForm(ActionForm):
    """Items shown in the meeting, and notes."""

    notes = MultiLineField(
        label=gettext_lazy("Notes"),
        help_text=gettext_lazy("Summarize the demonstration and the decisions. The partner sees these notes."),
        max_length=4000,
        required=False,
    )

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, initial={"notes": page.state.data.get("notes", "")}, **kwargs)
        meeting = get_meeting(page)
        items = page.requirement.meeting_items
        # Preselected only: a person decides whether a passed test run or an earlier meeting showed an item.
        shown_items = [item for item, is_shown in meeting.items.items() if is_shown] if meeting else []
        if items:
            field = forms.MultipleChoiceField(
                label=_("Items shown"),
                choices=[(item, item) for item in items],
                initial=[*shown_items, *(item for item, _summary in list_checked_items(page))],
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
            self.fields = {"shown": field, **self.fields}

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        meeting = get_meeting_in_state(page, State.SCHEDULED, State.COMPLETED)
        has_begun = meeting is not None and meeting.starts_at is not None and meeting.starts_at <= page.now
        return bool(page.can_decide and has_begun and meeting and not meetings.is_completed(meeting, page.requirement))

    def perform(self) -> str:
        page = self.page
        shown_items = self.cleaned_data.get("shown", [])
        notes = self.cleaned_data["notes"]
        meeting = _require_meeting(page)
        meeting = meetings.complete_meeting(meeting, shown_items, notes=notes, actor=page.user, now=page.now)
        if meetings.is_completed(meeting, page.requirement):
            return _("“%(title)s” is complete.") % {"title": page.requirement.title}
        return _("Meeting saved. You can record open items later or in another meeting.")


def build_meeting_context(page: RequirementPage) -> TemplateContext:
    meeting = get_meeting(page)
    return {
        "meeting": meeting,
        "checked_items": list_checked_items(page),
        "times": meetings.list_proposed_times(meeting) if meeting else [],
        "proposer_name": _("the program") if meeting and meeting.by_program else page.integration.partner.name,
    }


def download_meeting(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Return a scheduled meeting as a calendar file."""
    visible = Integration.objects.visible_to(request.user)
    rows = Meeting.objects.select_related("integration")
    meeting = get_object_or_404(rows, uuid=uuid, integration__in=visible, state__in=(State.SCHEDULED, State.COMPLETED))
    requirement = meeting.integration.edition.get_requirement(meeting.requirement_id)
    title = requirement.title if requirement else _("Meeting")
    # RFC 5546, section 3.2.1: a published event has no attendees.
    text = calendar_invites.build_invitation(
        meeting, (), title=title, now=timezone.now(), method=calendar_invites.PUBLISH_METHOD
    )
    headers = {"Content-Disposition": 'attachment; filename="meeting.ics"', "Cache-Control": "private, no-store"}
    return HttpResponse(text, content_type="text/calendar; method=PUBLISH; charset=utf-8", headers=headers)


MEETING_PAGE = RequirementKindPage(
    {
        "propose": MeetingProposalForm,
        "accept": MeetingAcceptanceForm,
        "cancel": MeetingCancellationForm,
        "hold": MeetingCompletionForm,
    },
    build_meeting_context,
)
