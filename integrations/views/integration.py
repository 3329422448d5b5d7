"""What does the partner do next? The one page of an integration, and its history."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone

from integrations import rules
from integrations.actions import reviewing
from integrations.models import Integration, Introduction
from integrations.page import left_items, path_steps, requirement_rows, tier_rows
from integrations.review_page import told_findings
from integrations.states import Holder
from integrations.views.common import load, page_of
from integrations.workflow import actions


def integration(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page that answers "what do I do next?"."""
    found = load(request, uuid)
    context = page_context(found, request.user)
    if not rules.works_for_program(request.user):  # a reviewer's place is kept by the review page
        reviewing.looked(found, by=request.user, now=timezone.now())
    return render(request, "integrations/integration.html", context)


def page_context(found: Integration, user: Any) -> dict[str, Any]:
    """Everything the page shows. Nothing internal reaches a partner."""
    now = timezone.now()
    offered = actions(found, user, now=now)
    category, tier = found.edition.category(found.category), found.edition.tier(found.tier)
    return {
        "integration": found,
        "edition": found.edition,
        "program": found.program,
        "mine": found.turn_holder == Holder.PARTNER and rules.may_edit(found, user),
        "turn": turn_of_page(found, user),
        "path": path_steps(found),
        "left": left_items(found, now),
        "steps": requirement_rows(found, now),
        "actions": offered,
        "main_actions": [a for a in offered if a.tone == "good"],
        "other_actions": [a for a in offered if a.tone != "good"],
        "reader": found.reviewer or found.partner.alliances_manager,
        "reader_role": "Reviewer" if found.reviewer else found.edition.contact,
        "category_name": category.name if category else "",
        "tier_name": tier.name if tier else "",
        "repository_url": f"{settings.GITHUB_WEB_URL}/{found.repository}",
        "findings": told_findings(found),
        "thread": list(found.messages.filter(internal=False).select_related("author")),
        "recent": list(found.events.shown_to_partner().order_by("-seq")[:8]),
        "introductions": list(
            Introduction.objects.filter(asking=found).select_related("other__partner")
            | Introduction.objects.filter(other=found).select_related("other__partner")
        ),
        "tiers": tier_rows(found, now),
        "can_edit": rules.may_edit(found, user),
        "may_note": False,
        "for_program": rules.works_for_program(user),
        "now": now,
    }


def turn_of_page(found: Integration, user: Any) -> dict[str, Any]:
    """The one sentence and the one button on top, for the person who looks."""
    kind, _, what = found.turn_target.partition(":")
    targets = {
        "requirement": lambda: reverse("requirement", args=[found.uuid, what]),
        "step": lambda: reverse("step", args=[found.uuid, what]),
        "findings": lambda: "#findings",
        "review": lambda: reverse("review", args=[found.uuid]),
    }
    yours = (found.turn_holder == Holder.PARTNER and rules.may_edit(found, user)) or (
        found.turn_holder == Holder.PROGRAM and rules.may_decide(found, user)
    )
    return {
        "yours": yours,
        "sentence": found.turn_action,
        "href": targets[kind]() if kind in targets else "",
        "since": found.turn_since,
        "due": found.turn_due_at,
        "holder": WHO.get(found.turn_holder, ""),
    }


WHO = {
    Holder.PARTNER: "The company's turn",
    Holder.PROGRAM: "The program's turn",
    Holder.MACHINE: "The portal's turn",
    Holder.THIRD_PARTY: "Waiting for others",
}


def history(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Everything that happened, newest first; the program also sees what is internal."""
    found = load(request, uuid)
    events = found.events.all() if rules.may_see_notes(request.user) else found.events.shown_to_partner()
    context = {"integration": found, "page": page_of(request, events.order_by("-seq"))}
    return render(request, "integrations/history.html", context)


urlpatterns = [
    path("integrations/<uuid:uuid>/", integration, name="integration"),
    path("integrations/<uuid:uuid>/history/", history, name="history"),
]
