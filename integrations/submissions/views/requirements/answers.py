"""Answers and attestations on the requirement page, with drafts and conflict detection."""

from django import forms
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _, ngettext

from integrations.partners import permissions
from integrations.programs.requirements import FulfillingParty, Requirement, RequirementKind
from integrations.submissions.forms.requirement_actions import AttestationForm
from integrations.submissions.forms.requirements import RequirementForm, collect_draft_data, list_answers
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.selectors.prerequisites import explain_blocker
from integrations.submissions.services import drafts, requirements as requirement_services
from integrations.submissions.views.drafts_shared import parse_version
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    can_answer,
    load_page,
)
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject, NamedValues, TemplateContext


def get_question_arguments(page: RequirementPage) -> NamedValues:
    """Return the questions with the draft, or else the current answers."""
    draft = page.draft
    return {"requirement": page.requirement, "initial": draft.data if draft else page.state.data}


def submit_answers(page: RequirementPage, answers: JsonObject) -> str | HttpResponse:
    """Submit the answers, or show both versions if another user changed them or saved a newer draft."""
    draft_data = collect_draft_data(page.requirement, page.request.POST)
    versions = {name: parse_version(page.request.POST, name) for name in ("answered", "version")}
    try:
        with transaction.atomic():
            # A draft that a colleague saves between the comparison and the lock would be closed unseen.
            requirement_services.lock_requirement(page.integration, page.requirement.id)
            drafts.lock_answer_draft(
                page.integration, page.requirement.id, draft_data, version=versions["version"], actor=page.user
            )
            page.call(requirement_services.submit_answer, answers, version=versions["answered"])
    except drafts.DraftConflictError as conflict:
        versions["version"] = conflict.stored_draft.version
        return render_conflict(page, "answer", str(conflict), conflict.stored_draft.data, **versions)
    except ActionRefused as refusal:
        if refusal.kind != "conflict":
            raise
        current_page = load_page(page.request, page.integration.uuid, page.requirement.id)
        state = current_page.state
        # The form was sent twice. There is nothing to compare.
        if (state.data, state.status) == (answers, Status.SUBMITTED):
            return _("These answers are already submitted.")
        return render_conflict(current_page, "answer", str(refusal), state.data, answered=state.version)
    return _("You submitted “%(title)s”.") % {"title": page.requirement.title}


def render_conflict(
    page: RequirementPage, action_name: str, message: str, other_data: JsonObject, **versions: int
) -> HttpResponse:
    """Render both versions with a button to save the user's version."""
    own_data = collect_draft_data(page.requirement, page.request.POST)
    answer_pairs = zip(
        list_answers(page.requirement, other_data), list_answers(page.requirement, own_data), strict=True
    )
    fields = [
        (key, item) for key, value in own_data.items() for item in (value if isinstance(value, list) else [value])
    ]
    context = {
        "page": page,
        "message": message,
        "rows": [(label, other_text, own_text) for (label, other_text), (_, own_text) in answer_pairs],
        "action_name": action_name,
        "fields": [*fields, *versions.items()],
    }
    return render(page.request, "submissions/requirement_conflict.html", context, status=409)


def save_draft(page: RequirementPage) -> IntegrationDraft:
    """Save the input as a draft. Raises ActionRefused and DraftConflictError."""
    if not page.can_save_draft:
        raise ActionRefused(_("Only owners and editors of the company can save drafts."), "forbidden")
    draft = page.call(drafts.get_or_create_answer_draft)
    data = collect_draft_data(page.requirement, page.request.POST)
    return drafts.save_draft(draft, data, version=parse_version(page.request.POST), actor=page.user, now=page.now)


def save_draft_action(page: RequirementPage, _data: NamedValues) -> str | HttpResponse:
    try:
        save_draft(page)
    except drafts.DraftConflictError as conflict:
        return render_conflict(
            page, "draft", str(conflict), conflict.stored_draft.data, version=conflict.stored_draft.version
        )
    return _("Draft saved. Your colleagues can continue it.")


def discard_draft_action(page: RequirementPage, _data: NamedValues) -> str:
    if page.draft is not None:
        drafts.discard_draft(page.draft, actor=page.user, now=page.now)
    return _("Draft deleted. Submitted answers don't change.")


def get_attestation_arguments(page: RequirementPage) -> NamedValues:
    is_program_task = page.requirement.responsible_party == FulfillingParty.PROGRAM
    party_name = _("the program") if is_program_task else page.integration.partner.name
    return {
        "statement": _("I confirm this for %(name)s") % {"name": party_name},
        "others": [(other.id, other.statement) for other in list_other_attestations(page)],
    }


def list_other_attestations(page: RequirementPage) -> list[Requirement]:
    """Return the other open statements before the next step that the user can confirm."""
    return [
        requirement
        for requirement in context_selectors.list_missing_next(page.integration, page.now)
        if requirement.kind == RequirementKind.ATTESTATION
        and requirement.id != page.requirement.id
        and requirement.responsible_party == page.requirement.responsible_party
        and not explain_blocker(requirement, page.integration, page.now)
    ]


def get_blocker(page: RequirementPage) -> str:
    return explain_blocker(page.requirement, page.integration, page.now)


def build_attestation_context(page: RequirementPage) -> TemplateContext:
    return {"blocker": get_blocker(page)}


def can_confirm(page: RequirementPage) -> bool:
    return page.can_answer and page.state.status != Status.SUBMITTED and not get_blocker(page)


def confirm_statement(page: RequirementPage, data: NamedValues) -> str:
    other_ids = data.get("also", [])
    with transaction.atomic():
        if page.state.status != Status.SUBMITTED:
            page.call(requirement_services.submit_answer, {"confirmed": True})
        for other_id in other_ids:
            requirement_services.submit_answer(
                page.integration, other_id, {"confirmed": True}, actor=page.user, now=page.now
            )
    if other_ids:
        count = 1 + len(other_ids)
        message = ngettext("You confirmed %(count)s statement.", "You confirmed %(count)s statements.", count)
        return message % {"count": count}
    return _("You confirmed “%(title)s”.") % {"title": page.requirement.title}


def can_mark_not_applicable(page: RequirementPage) -> bool:
    """Return whether the partner can skip the requirement: it is optional, open, and not an automated check."""
    is_partner_task = (
        page.is_open
        and permissions.can_edit(page.integration, page.user)
        and page.requirement.responsible_party != FulfillingParty.MACHINE
    )
    return is_partner_task and page.requirement.optional and page.state.status == Status.OPEN


def mark_not_applicable(page: RequirementPage, _data: NamedValues) -> str:
    if page.state.status != Status.NOT_APPLICABLE:
        page.call(requirement_services.mark_not_applicable)
    return _("“%(title)s” is marked as not applicable.") % {"title": page.requirement.title}


def build_form_context(page: RequirementPage) -> TemplateContext:
    return {
        "draft": page.draft,
        "keeps_drafts": page.can_save_draft,
        "answers": [pair for pair in list_answers(page.requirement, page.state.data) if pair[1]],
    }


FORM_PAGE = RequirementKindPage(
    {
        "answer": RequirementAction(can_answer, RequirementForm, submit_answers, get_question_arguments),
        "draft": RequirementAction(lambda page: page.can_save_draft, forms.Form, save_draft_action),
        "discard": RequirementAction(lambda page: page.draft is not None, forms.Form, discard_draft_action),
    },
    build_form_context,
)
ATTESTATION_PAGE = RequirementKindPage(
    {"confirm": RequirementAction(can_confirm, AttestationForm, confirm_statement, get_attestation_arguments)},
    build_attestation_context,
)
NOT_APPLICABLE_ACTION = RequirementAction(can_mark_not_applicable, forms.Form, mark_not_applicable)
