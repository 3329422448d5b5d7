"""How are the promises about issues kept? Clocks, one issue with its reasons, labels, the company's calendar."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query

from integrations.partners import permissions
from integrations.partners.forms.calendar import CalendarForm, initial_of, preview
from integrations.partners.services import calendars
from integrations.partners.views.calendar import load_company
from integrations.sla.filters import chosen
from integrations.sla.issue_page import ClockPanel, shown
from integrations.sla.models import Clock, SupportPolicy
from integrations.sla.presenters import as_data, rows_of
from integrations.sla.services import disputes, label_proposals
from integrations.sla.views import label_policy as label_pages
from integrations.sla.views.issue import ReasonForm, load_issue
from integrations.submissions.views.mixins import load, only
from portal.api.problems import fit
from portal.api.routing import Done, Page, Room, listed, posted
from portal.api.v1.schemas.sla import (
    CalendarAnswer,
    CalendarIn,
    CalendarOut,
    ClockOut,
    ClockWanted,
    IssueOut,
    LabelsAnswer,
    LabelsIn,
    LabelsOut,
    ReasonIn,
    SegmentOut,
)
from portal.core.errors import NotAllowed

room = Room("SLA")
SLA_READ, SLA_WRITE = "sla:read", "sla:write"


@room.get("/sla/clocks", SLA_READ, Page[ClockOut])
def list_clocks(request: HttpRequest, response: HttpResponse, wanted: Query[ClockWanted]) -> Any:
    """The promised clocks that are yours to see, newest issue first."""
    asked = wanted.model_dump(exclude={"after", "limit"})
    now = timezone.now()
    choice = chosen(request.user, asked)
    rows = choice.shown(now)
    return listed(request, response, rows, wanted, partial(_clock, now))


def _clock(now: datetime, clock: Clock) -> dict[str, Any]:
    row = rows_of(Clock.objects.filter(pk=clock.pk), now)[0]
    return as_data(row) | {"uuid": row.href.rstrip("/").rpartition("/")[2]}


@room.get("/issues/{uuid:uuid}", SLA_READ, IssueOut)
def get_issue(request: HttpRequest, uuid: UUID) -> Any:
    """One issue: both clocks, and why each is due when it is."""
    found = load_issue(request, uuid)
    page = shown(found, request.user, timezone.now())
    return {
        "uuid": found.uuid, "name": f"{found.watch.repository}#{found.number}", "title": found.title, "url": found.url,
        "integration": found.integration.uuid, "severity": str(page.state.severity), "covered": page.state.covered,
        "edition": page.edition, "clocks": [_explained(panel) for panel in page.clocks],
        "decisions": [event.told for event in page.decisions], "data_up_to": page.data_up_to,
    }  # fmt: skip


def _explained(panel: ClockPanel) -> dict[str, Any]:
    same = ("verb", "promised", "severity", "target", "due_at", "stopped_at")
    segments = [{name: getattr(line, name) for name in SegmentOut.model_fields} for line in panel.lines]
    more = {"state": panel.state[0], "sentence": str(panel.sentence), "segments": segments}
    return {name: getattr(panel, name) for name in same} | more


DECISIONS: tuple[tuple[str, str, Any, Callable[..., Any]], ...] = (
    ("lower", "Agree that it is not critical. For reviewers.", permissions.may_decide, disputes.lower),
    ("let_off", "Agree that the promise does not cover it. For reviewers.", permissions.may_decide, disputes.let_off),
    ("ask", "Ask the program to lower the severity.", permissions.may_edit, disputes.ask_to_lower),
    ("dispute", "Dispute a breach that stands.", permissions.may_edit, disputes.dispute),
    ("dismiss", "Leave what is disputed as it is. For reviewers.", permissions.may_decide, disputes.dismiss),
)


def offer(name: str, says: str, rule: Any, act: Callable[..., Any]) -> None:
    """An operation for one decision about an issue."""

    def operation(request: HttpRequest, uuid: UUID, body: ReasonIn) -> Any:
        found = load_issue(request, uuid)
        only(rule, found.integration, request.user)
        reason = fit(ReasonForm(posted(reason=body.reason))).cleaned_data["reason"]
        act(found, reason, by=request.user, now=timezone.now())
        return get_issue(request, uuid)

    operation.__name__, operation.__doc__ = f"issue_{name}", says
    room.post(f"/issues/{{uuid:uuid}}/{name}", SLA_WRITE, IssueOut)(operation)


for row in DECISIONS:
    offer(*row)


@room.get("/integrations/{uuid:uuid}/labels", SLA_READ, LabelsOut)
def get_labels(request: HttpRequest, uuid: UUID) -> Any:
    """How the integration's labels are read."""
    found = load(request, uuid)
    typed = label_pages.initial_of(label_proposals.map_of(label_proposals.in_force(found, timezone.now())))
    waiting = found.support_policies.filter(state=SupportPolicy.State.PROPOSED).last()
    return {name: text.split("\n") if text else [] for name, text in typed.items()} | {
        "waiting": waiting.pk if waiting else None
    }


@room.post("/integrations/{uuid:uuid}/labels", SLA_WRITE, Done)
def propose_labels(request: HttpRequest, uuid: UUID, body: LabelsIn) -> Any:
    """Propose another map. Until the program answers, the one in force stays."""
    found = load(request, uuid)
    only(permissions.may_edit, found, request.user)
    typed = posted(**{name: "\n".join(lines) for name, lines in body.model_dump().items()})
    form = fit(label_pages.LabelsForm(typed, account=partial(label_proposals.account, found)))
    label_proposals.propose(found, form.proposed, by=request.user, now=timezone.now())
    return Done(said="The program has your proposal. Until it answers, the map in force stays.")


@room.post("/integrations/{uuid:uuid}/labels/answer", SLA_WRITE, Done)
def answer_labels(request: HttpRequest, uuid: UUID, body: LabelsAnswer) -> Any:
    """Accept or decline what waits. For reviewers."""
    found = load(request, uuid)
    only(permissions.may_decide, found, request.user)
    waiting = found.support_policies.filter(state=SupportPolicy.State.PROPOSED).last()
    note = fit(label_pages.AnswerForm(posted(note=body.note))).cleaned_data["note"]
    if waiting is None:
        raise NotAllowed("Nothing waits for an answer here.", "stale")
    if not body.accept and not note:
        raise NotAllowed("Say why: the company reads it.")
    label_proposals.decide(waiting, accept=body.accept, note=note, by=request.user, now=timezone.now())
    return Done(said="Accepted: it counts for issues opened from now on." if body.accept else "Declined.")


@room.get("/companies/{slug:slug}/calendar", SLA_READ, CalendarOut)
def get_calendar(request: HttpRequest, slug: str) -> Any:
    """Whose days count for the company's clocks."""
    in_force = load_company(request, slug).calendars.in_force(timezone.now())
    same = ("zone", "workdays", "country", "subdivision", "extra_days")
    if in_force is None:
        return {
            "zone": "UTC",
            "workdays": [0, 1, 2, 3, 4],
            "country": "",
            "subdivision": "",
            "extra_days": {},
            "said": "",
        }
    return {name: getattr(in_force, name) for name in same} | {"said": calendars.said(in_force)}


@room.post("/companies/{slug:slug}/calendar", SLA_WRITE, CalendarAnswer)
def set_calendar(request: HttpRequest, slug: str, body: CalendarIn) -> Any:
    """Set the calendar, or see what it would change. It counts for issues opened from then on."""
    partner, now = load_company(request, slug), timezone.now()
    if not permissions.edits(partner, request.user):
        raise PermissionDenied(permissions.refusal("may_edit"))
    days = "\n".join(f"{day} {name}" for day, name in body.extra_days.items())
    typed = body.model_dump(exclude={"try_only", "extra_days"}) | {"extra_days": days}
    in_force = partner.calendars.in_force(now)
    form = fit(CalendarForm(posted(**typed), initial=initial_of(in_force, "UTC"), now=now))
    fresh = form.facts.edition(partner, now)
    told = preview(partner, in_force, fresh, now)
    if not body.try_only:
        calendars.set_calendar(partner, form.facts, by=request.user, now=now)
    return {
        "changed": not body.try_only, "said": calendars.said(fresh), "open_clocks": told.open_clocks,
        "before": told.before, "after": told.after,
    }  # fmt: skip
