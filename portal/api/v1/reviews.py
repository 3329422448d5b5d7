"""How does a reviewer work from a program of their own? The queue, claims, findings, their own profile."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.partners import permissions
from integrations.reviews.forms.queue import QueueFilter
from integrations.reviews.forms.reviewers import ProfileForm
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.selectors import queue
from integrations.reviews.services import claims
from integrations.reviews.views.review import load_finding
from integrations.submissions.forms.findings import AnswerForm, FindingForm
from integrations.submissions.models import Finding, Integration
from integrations.submissions.presenters import told_findings
from integrations.submissions.services import findings as reviewing
from integrations.submissions.views.mixins import load, only
from portal.api.problems import Problem, fit
from portal.api.routing import Page, Paged, Room, Strict, cursor, lead_on, no_cursor, posted, read_cursor
from portal.api.v1.integrations import READ, WRITE, again, for_program
from portal.api.v1.schemas import submissions

room = Room("Reviews")
REVIEW = "reviews:write"
BIG = 2**63 - 1


class QueueWanted(Paged):
    """The filters of the queue."""

    tab: str = Field("all", pattern="^(all|mine|free)$")
    program: str = Field("", max_length=60)
    stage: str = Field("", max_length=60)
    category: str = Field("", max_length=60)
    age: str = Field("", max_length=10, description="Waits for at least so many days.")
    holder: str = Field("", max_length=20)


class Waiting(Schema):
    """One line of the queue. `checks`: how many checks came out how."""

    integration: submissions.IntegrationOut
    reasons: list[str]
    checks: dict[str, Any]
    claimed_until: datetime | None


class FindingIn(Strict):
    requirement: str
    text: str


class FixIn(Strict):
    answer: str


class AssignIn(Strict):
    reviewer: str = Field(description="Mail address of a reviewer.")


class ProfileOut(Schema):
    programs: list[str]
    away_from: date | None
    away_until: date | None
    most_open: int


class ProfileIn(Strict):
    programs: list[str] | None = None
    away_from: date | None = None
    away_until: date | None = None
    most_open: int | None = None


class SeenOut(Schema):
    """`before`: the place of the event up to which it had been seen."""

    before: int


@room.get("/queue", REVIEW, Page[Waiting])
def get_queue(request: HttpRequest, response: HttpResponse, wanted: Query[QueueWanted]) -> Any:
    """What waits for the program, the most pressing first."""
    if not permissions.works_for_program(request.user):
        raise Http404("There is nothing here for you.")
    now = timezone.now()
    filters = fit(QueueFilter(wanted.model_dump(exclude={"tab", "after", "limit"}))).cleaned_data
    rows = queue.chosen(filters, now).filter(queue.in_tab(wanted.tab, request.user, now))
    if wanted.after is not None:
        rows = rows.filter(_behind(*read_cursor(wanted.after)))
    rows = rows.order_by(F("turn_due_at").asc(nulls_last=True), "pk").select_related("partner", "reviewer")
    found = list(rows[: wanted.limit + 1])
    page = found[: wanted.limit]
    following = _cursor(page[-1]) if len(found) > wanted.limit else None
    lead_on(request, response, following)
    return {"items": [_waiting(row) for row in page], "next": following}


def _cursor(row: Integration) -> str:
    """Where the row stood: it may have moved, or have left, when the next page is asked for."""
    return cursor(row.pk, row.turn_due_at.astimezone(UTC).isoformat() if row.turn_due_at else "")


def _behind(pk: int, place: str) -> Q:
    """What comes after a place in the queue's order; what is never due comes last."""
    if not place:
        return Q(turn_due_at=None, pk__gt=pk)
    try:
        due = datetime.fromisoformat(place)
    except ValueError:
        due = None
    if due is None or due.tzinfo is None:
        raise no_cursor()
    return Q(turn_due_at=due, pk__gt=pk) | Q(turn_due_at__gt=due) | Q(turn_due_at=None)


def _waiting(row: Integration) -> dict[str, Any]:
    return {
        "integration": submissions.integration_out(row), "reasons": row.reasons, "checks": row.tally,
        "claimed_until": row.claimed_until,
    }  # fmt: skip


@room.post("/integrations/{uuid:uuid}/claim", REVIEW, submissions.IntegrationWhole)
def claim(request: HttpRequest, uuid: UUID) -> Any:
    """Take it for a while. 409 names who was faster."""
    claims.claim(for_program(request, uuid), by=request.user, now=timezone.now())
    return again(request, uuid)


@room.post("/integrations/{uuid:uuid}/keep_claim", REVIEW, submissions.IntegrationWhole)
def keep_claim(request: HttpRequest, uuid: UUID) -> Any:
    """Lengthen your own claim."""
    claims.keep_claim(for_program(request, uuid), by=request.user, now=timezone.now())
    return again(request, uuid)


@room.post("/integrations/{uuid:uuid}/put_back", REVIEW, submissions.IntegrationWhole)
def put_back(request: HttpRequest, uuid: UUID) -> Any:
    """Give it back to the queue."""
    claims.put_back(for_program(request, uuid), by=request.user, now=timezone.now())
    return again(request, uuid)


@room.post("/integrations/{uuid:uuid}/assign", REVIEW, submissions.IntegrationWhole)
def assign(request: HttpRequest, uuid: UUID, body: AssignIn) -> Any:
    """Name the reviewer."""
    found = for_program(request, uuid)
    people = get_user_model().objects.filter(is_reviewer=True, is_active=True)
    reviewer = people.filter(email=body.reviewer.lower()).first()
    if reviewer is None:
        raise Problem("unfit", "There is no such reviewer.", fields=[("reviewer", "There is no such reviewer.")])
    claims.assign(found, reviewer, by=request.user, now=timezone.now())
    return again(request, uuid)


@room.post("/integrations/{uuid:uuid}/seen", READ, SeenOut)
def seen(request: HttpRequest, uuid: UUID) -> Any:
    """Say that you have looked at everything up to now. For people of the program."""
    return {"before": reviewing.looked(for_program(request, uuid), by=request.user, now=timezone.now())}


@room.get("/integrations/{uuid:uuid}/findings", READ, list[submissions.FindingOut])
def list_findings(request: HttpRequest, uuid: UUID) -> Any:
    """The findings. The company sees them once changes are requested."""
    found = load(request, uuid)
    every = found.findings.select_related("raised_by") if submissions.sees_notes(found, request.user) else None
    return [submissions.finding_out(each) for each in (every if every is not None else told_findings(found))]


@room.post("/integrations/{uuid:uuid}/findings", REVIEW, submissions.FindingOut, status=201)
def raise_finding(request: HttpRequest, uuid: UUID, body: FindingIn) -> Any:
    """Write a finding on one requirement, while it is in review."""
    found = for_program(request, uuid)
    only(permissions.may_decide, found, request.user)
    if found.edition.requirement(body.requirement) is None:
        raise Http404("This edition of the program has no such requirement.")
    text = fit(FindingForm(posted(text=body.text))).cleaned_data["text"]
    finding = reviewing.raise_finding(found, body.requirement, text, by=request.user, now=timezone.now())
    return submissions.finding_out(finding)


@room.post("/findings/{int:pk}/fix", WRITE, submissions.FindingOut)
def fix_finding(request: HttpRequest, body: FixIn, pk: int = Path(le=BIG)) -> Any:
    """Say what was changed. For the company."""
    finding = found_finding(request, pk)
    only(permissions.may_edit, finding.integration, request.user)
    answer = fit(AnswerForm(posted(answer=body.answer))).cleaned_data["answer"]
    reviewing.fix_finding(finding, answer, by=request.user, now=timezone.now())
    return submissions.finding_out(found_finding(request, pk))


@room.post("/findings/{int:pk}/verify", REVIEW, submissions.FindingOut)
def verify_finding(request: HttpRequest, pk: int = Path(le=BIG)) -> Any:
    """It is settled. For reviewers."""
    reviewing.verify_finding(_of_program(request, pk), by=request.user, now=timezone.now())
    return submissions.finding_out(found_finding(request, pk))


@room.post("/findings/{int:pk}/reopen", REVIEW, submissions.FindingOut)
def reopen_finding(request: HttpRequest, pk: int = Path(le=BIG)) -> Any:
    """It is not settled after all. For reviewers."""
    reviewing.reopen_finding(_of_program(request, pk), by=request.user, now=timezone.now())
    return submissions.finding_out(found_finding(request, pk))


def found_finding(request: HttpRequest, pk: int) -> Finding:
    if pk > BIG:
        raise Http404("There is no such finding.")
    return load_finding(request, pk)


def _of_program(request: HttpRequest, pk: int) -> Finding:
    if not permissions.works_for_program(request.user):
        raise Http404("There is nothing here for you.")
    return found_finding(request, pk)


@room.get("/reviewer_profile", REVIEW, ProfileOut)
def get_reviewer_profile(request: HttpRequest) -> Any:
    """What you take on, and when you are away. For reviewers."""
    own = _own_profile(request)
    return {name: getattr(own, name) for name in ProfileOut.model_fields}


@room.patch("/reviewer_profile", REVIEW, ProfileOut)
def change_reviewer_profile(request: HttpRequest, body: ProfileIn) -> Any:
    """Change it; what is left out stays, null empties a date."""
    own = _own_profile(request)
    before = {name: getattr(own, name) for name in ProfileOut.model_fields}
    typed = before | body.model_dump(exclude_unset=True)
    given = fit(ProfileForm(posted(**typed), instance=own)).cleaned_data
    return claims.change_profile(request.user, given, by=request.user)


def _own_profile(request: HttpRequest) -> ReviewerProfile:
    if not request.user.is_reviewer:  # type: ignore[union-attr]
        raise Http404("Only reviewers say what they review.")
    return ReviewerProfile.objects.filter(user=request.user).first() or ReviewerProfile(user=request.user)  # type: ignore[misc]
