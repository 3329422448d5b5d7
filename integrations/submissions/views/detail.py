"""What does the partner do next? The one page of an integration, and its history."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from integrations.partners import permissions
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.presenters import (
    WHOSE,
    WHOSE_ELSE,
    left_items,
    path_steps,
    requirement_rows,
    tier_rows,
    told_findings,
)
from integrations.submissions.selectors import context as facts
from integrations.submissions.services.transitions import actions, steps_from
from integrations.submissions.views.mixins import load
from integrations.submissions.workflow.next_action import turn_said
from integrations.submissions.workflow.states import Holder, Missing
from portal.ui.pagination import page_of

LATELY = 12


def integration(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page that answers "what do I do next?"."""
    found = load(request, uuid)
    return render(request, "submissions/integration.html", page_context(found, request.user))


def page_context(found: Integration, user: Any) -> dict[str, Any]:
    """Everything the page shows. Nothing internal reaches a partner."""
    now = timezone.now()
    whose = WHOSE if permissions.may_edit(found, user) else WHOSE_ELSE
    return {
        "integration": found,
        "edition": found.edition,
        "program": found.program,
        "turn": turn_of_page(found, user),
        "path": path_steps(found),
        "left": left_items(found, now, whose),
        "steps": requirement_rows(found, now, whose),
        "tiers": tier_rows(found, now, whose),
        "findings": told_findings(found),
        "lately": list(found.events.shown_to_partner().order_by("-seq")[:LATELY]),
        "introductions": introductions_of(found),
        "can_edit": permissions.may_edit(found, user),
        "for_program": permissions.works_for_program(user),
        "now": now,
        "plays_run_task": any("run_task.rehearsal" in r.checks for r in found.edition.requirements()),
        "meanwhile": meanwhile(found, user, now),
        **buttons(found, user, now),
        **names(found),
    }


def meanwhile(found: Integration, user: Any, now: datetime) -> Missing | None:
    """What the company can already do while the program has the turn: the first of its own open requirements."""
    if found.turn_holder != Holder.PROGRAM or not found.is_open or not permissions.may_edit(found, user):
        return None
    left = facts.as_missing(found, facts.missing_next(found, now), now)
    return next((item for item in left if item.holder == Holder.PARTNER), None)


def buttons(found: Integration, user: Any, now: datetime) -> dict[str, Any]:
    """What this person may do: the way onwards, and the rest."""
    offered = actions(found, user, now=now)
    return {
        "actions": offered,
        "ready_actions": [a for a in offered if a.tone == "good" and a.is_ready and a.name != "request_tier"],
        "other_actions": [a for a in offered if a.tone != "good"],
    }


def names(found: Integration) -> dict[str, Any]:
    """Words for what the row holds as keys, and who reads it."""
    category, tier = found.edition.category(found.category), found.edition.tier(found.tier)
    return {
        "category_name": category.name if category else "",
        "tier_name": tier.name if tier else "",
        "repository_url": f"{settings.GITHUB_WEB_URL}/{found.repository}",
    }


def introductions_of(found: Integration) -> list[Introduction]:
    """Asked, received or agreed introductions; no query where the row knows that there are none."""
    if not found.has_introductions:  # type: ignore[attr-defined]
        return []
    both = Introduction.objects.filter(Q(asking=found) | Q(other=found))
    return list(both.select_related("asking__partner", "other__partner"))


def turn_of_page(found: Integration, user: Any) -> dict[str, Any]:
    """The one sentence and the one button on top, for the person who looks."""
    kind, _, what = found.turn_target.partition(":")
    targets = {
        "requirement": lambda: reverse("requirement", args=[found.uuid, what]),
        "step": lambda: reverse("step", args=[found.uuid, what]),
        "findings": lambda: "#findings",
        "review": lambda: reverse("review", args=[found.uuid]),
        "standing": lambda: reverse("standing", args=[found.uuid]),
    }
    yours = (found.turn_holder == Holder.PARTNER and permissions.may_edit(found, user)) or (
        found.turn_holder == Holder.PROGRAM and permissions.may_decide(found, user)
    )
    return {
        "yours": yours,
        "sentence": found.turn_said,
        "button": button_of(found, kind, what),
        "href": targets[kind]() if kind in targets else "",
        "since": found.turn_since,
        "due": found.turn_due_at,
        "holder": gettext("Your turn") if yours else _holder(found.turn_holder),
    }


def button_of(found: Integration, kind: str, what: str) -> str:
    """The verb on the one button: the first words of the sentence, or the step's own label."""
    if kind == "step":
        return gettext(steps_from(found)[what].custom["label"]) if what in steps_from(found) else gettext("Go on")
    if kind in BUTTONS:
        return gettext(BUTTONS[kind])
    verb, colon, _ = found.turn_action.partition(":")
    return turn_said(verb) if colon else gettext("Open")


def _holder(holder: str) -> str:
    """Whose turn it is, for who only looks on; blank where it is nobody's."""
    return gettext(WHO[Holder(holder)]) if holder in WHO else ""


BUTTONS = {
    "findings": gettext_noop("Answer"),
    "review": gettext_noop("Open the review"),
    "standing": gettext_noop("See the evidence"),
}
WHO = {
    Holder.PARTNER: gettext_noop("The company's turn"),
    Holder.PROGRAM: gettext_noop("The program's turn"),
    Holder.MACHINE: gettext_noop("The portal's turn"),
    Holder.THIRD_PARTY: gettext_noop("Waiting for others"),
}


def history(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Everything that happened, newest first; the program also sees what is internal."""
    found = load(request, uuid)
    events = found.events.all() if permissions.may_see_notes(found, request.user) else found.events.shown_to_partner()
    context = {"integration": found, "page": page_of(request, events.order_by("-seq"))}
    return render(request, "submissions/history.html", context)


urlpatterns = [
    path("integrations/<uuid:uuid>/", integration, name="integration"),
    path("integrations/<uuid:uuid>/history/", history, name="history"),
]
