"""How do both sides find a time on the page, and how does a calendar get it?"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.submissions import calendar_invites
from integrations.submissions.forms.meetings import Accept, Cancel, Hold, Propose
from integrations.submissions.models import Integration, Meeting
from integrations.submissions.selectors import context as facts
from integrations.submissions.services import meetings
from integrations.submissions.services.meetings import Proposal, State
from integrations.submissions.services.requirements import side_of
from integrations.submissions.views.requirements.page import Act, KindPage, Page, plain
from integrations.submissions.workflow.states import Holder
from portal.core.errors import NotAllowed


def meeting_of(page: Page) -> Meeting | None:
    return meetings.current(page.integration, page.requirement.id)


def is_in(page: Page, *states: str) -> Meeting | None:
    """The meeting, where it is in one of these states."""
    meeting = meeting_of(page)
    return meeting if meeting is not None and meeting.state in states else None


def may_propose(page: Page) -> bool:
    meeting = meeting_of(page)
    return page.can_answer and not (meeting and meetings.is_settled(meeting, page.requirement))


def may_accept(page: Page) -> bool:
    meeting = is_in(page, State.PROPOSED)
    return bool(page.can_answer and meeting and meetings.proposer(meeting) != side_of(page.integration, page.user))


def may_hold(page: Page) -> bool:
    meeting = is_in(page, State.AGREED, State.HELD)
    begun = meeting is not None and meeting.starts_at is not None and meeting.starts_at <= page.now
    return bool(page.can_decide and begun and meeting and not meetings.is_settled(meeting, page.requirement))


def propose_form(page: Page, **given: Any) -> Propose:
    meeting = is_in(page, State.PROPOSED, State.AGREED)
    initial = {"place": meeting.place, "minutes": meeting.minutes} if meeting else {}
    return Propose(initial=initial, **given)


def propose(page: Page, form: Propose) -> str:
    given = form.cleaned_data
    proposal = Proposal(given["times"], given["place"], given["minutes"])
    meetings.propose(page.integration, page.requirement.id, proposal, by=page.user, now=page.now)
    return _("The times are proposed. The other side accepts one or proposes others.")


def accept_form(page: Page, **given: Any) -> Accept:
    meeting = meeting_of(page)
    times = meetings.times_of(meeting) if meeting else []
    return Accept([each for each in times if each > page.now], has_place=bool(meeting and meeting.place), **given)


def accept(page: Page, form: Accept) -> str:
    given = form.cleaned_data
    meetings.accept(_there(page), given["time"], by=page.user, now=page.now, place=given.get("place", ""))
    return _("The time is agreed. Everybody gets a mail that calendars take.")


def cancel(page: Page, form: Cancel) -> str:
    meetings.cancel(_there(page), reason=form.cleaned_data["reason"], by=page.user, now=page.now)
    return _("It is cancelled, and the other side knows.")


def seen_by_checks(page: Page) -> list[tuple[str, str]]:
    """The items that a check has seen, with what it said: ticked beforehand, decided by the person."""
    states = facts.states_of(page.integration)
    hinted = [(item, states.get(id)) for item, id in page.requirement.meeting_hints]
    return [(item, state.summary) for item, state in hinted if state is not None and state.is_met(page.now)]


def hold_form(page: Page, **given: Any) -> Hold:
    meeting = meeting_of(page)
    shown = [item for item, is_shown in meeting.items.items() if is_shown] if meeting else []
    shown += [item for item, _ in seen_by_checks(page) if item not in shown]
    return Hold(page.requirement.meeting_items, shown, initial={"notes": page.state.data.get("notes", "")}, **given)


def hold(page: Page, form: Hold) -> str:
    given = form.cleaned_data
    held = meetings.hold(_there(page), given.get("shown", []), notes=given["notes"], by=page.user, now=page.now)
    if meetings.is_settled(held, page.requirement):
        return _("“%(title)s” is done.") % {"title": page.requirement.title}
    return _("It is kept. What was not shown can be ticked later, or shown at another meeting.")


def _there(page: Page) -> Meeting:
    meeting = meeting_of(page)
    if meeting is None:
        raise NotAllowed(_("No meeting is proposed yet."), "gone")
    return meeting


def context(page: Page) -> dict[str, Any]:
    meeting = meeting_of(page)
    return {
        "meeting": meeting,
        "seen_by_checks": seen_by_checks(page),
        "times": meetings.times_of(meeting) if meeting else [],
        "mine": bool(meeting and meetings.proposer(meeting) == side_of(page.integration, page.user)),
        "settled": bool(meeting and meetings.is_settled(meeting, page.requirement)),
        "proposed_for": _("the program") if meeting and meeting.by_program else page.integration.partner.name,
        "is_program": side_of(page.integration, page.user) == Holder.PROGRAM,
    }


def meeting_ics(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The agreed meeting as a file that calendars take."""
    visible = Integration.objects.visible_to(request.user)
    rows = Meeting.objects.select_related("integration__partner__alliances_manager", "integration__reviewer")
    found = get_object_or_404(rows, uuid=uuid, integration__in=visible, state__in=(State.AGREED, State.HELD))
    requirement = found.integration.edition.requirement(found.requirement_id)
    title = requirement.title if requirement else _("Meeting")
    people = meetings.people_of(found.integration)
    text = calendar_invites.invite(found, people, title=title, now=timezone.now(), method=calendar_invites.PUBLISH)
    headers = {"Content-Disposition": 'attachment; filename="meeting.ics"', "Cache-Control": "private, no-store"}
    return HttpResponse(text, content_type="text/calendar; method=PUBLISH; charset=utf-8", headers=headers)


MEETING = KindPage(
    {
        "propose": Act(may_propose, propose_form, propose),
        "accept": Act(may_accept, accept_form, accept),
        "cancel": Act(
            lambda page: page.can_answer and bool(is_in(page, State.PROPOSED, State.AGREED)), plain(Cancel), cancel
        ),
        "hold": Act(may_hold, hold_form, hold),
    },
    context,
)
