"""Answers and attestations on the requirement page, with drafts and conflict detection."""

from typing import Unpack

from django import forms
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from integrations.partners import permissions
from integrations.programs.requirements import FulfillingParty, Requirement, RequirementKind
from integrations.submissions.forms.requirements import RequirementForm, collect_draft_data, list_answers
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.selectors.prerequisites import explain_blocker
from integrations.submissions.services import drafts, requirements as requirement_services
from integrations.submissions.views.drafts_shared import parse_version
from integrations.submissions.views.requirements.page import ActionForm, RequirementKindPage, RequirementPage, load_page
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused, StaleVersionError
from portal.core.form_fields import BoundFormArguments
from portal.core.value_types import JsonObject, TemplateContext


class AnswerForm(ActionForm, RequirementForm):
    """Questions of a requirement with the draft, or else the current answers."""

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        initial = page.draft.data if page.draft else page.state.data
        RequirementForm.__init__(self, page.requirement, initial=initial, **kwargs)
        self.page = page

    def perform(self) -> str | HttpResponse:
        """Submit the answers, or show both versions if another user changed them or saved a newer draft."""
        page = self.page
        answers = self.cleaned_data
        draft_data = collect_draft_data(page.requirement, page.request.POST)
        versions = {name: parse_version(page.request.POST, name) for name in ("answered", "version")}
        try:
            with transaction.atomic():
                # A draft that a colleague saves between the comparison and the lock would be closed unseen.
                requirement_services.lock_requirement(page.integration, page.requirement.id)
                # Whoever can't save a draft must not see one in a conflict. The service refuses their answers.
                if page.can_save_draft:
                    drafts.lock_answer_draft(
                        page.integration, page.requirement.id, draft_data, version=versions["version"], actor=page.user
                    )
                page.call(requirement_services.submit_answer, answers, version=versions["answered"])
        except drafts.DraftConflictError as conflict:
            versions["version"] = conflict.stored_draft.version
            return render_conflict(page, "answer", str(conflict), conflict.stored_draft.data, **versions)
        except StaleVersionError as refusal:
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


def require_draft_access(page: RequirementPage) -> None:
    """Raise ActionRefused if the user can't save or delete a draft."""
    if not permissions.can_edit(page.integration, page.user):
        raise ActionRefused(_("Only owners and editors of the company can change drafts."), "forbidden")
    if not page.can_save_draft:
        raise ActionRefused(_("You can't change a draft of this requirement now."), "invalid-transition")


def save_draft(page: RequirementPage) -> IntegrationDraft:
    """Save the input as a draft. Raises ActionRefused and DraftConflictError."""
    require_draft_access(page)
    draft = page.call(drafts.get_or_create_answer_draft)
    data = collect_draft_data(page.requirement, page.request.POST)
    return drafts.save_draft(draft, data, version=parse_version(page.request.POST), actor=page.user, now=page.now)


class DraftForm(ActionForm):
    """Button that saves the input as a draft, valid or not."""

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_save_draft

    def perform(self) -> str | HttpResponse:
        try:
            save_draft(self.page)
        except drafts.DraftConflictError as conflict:
            draft = conflict.stored_draft
            return render_conflict(self.page, "draft", str(conflict), draft.data, version=draft.version)
        return _("Draft saved. Your colleagues can continue it.")


class DraftDeletionForm(ActionForm):
    """Button that deletes the draft."""

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.draft is not None

    def perform(self) -> str:
        require_draft_access(self.page)
        if self.page.draft is not None:
            drafts.discard_draft(self.page.draft, actor=self.page.user, now=self.page.now)
        return _("Draft deleted. Submitted answers don't change.")


def list_other_attestations(page: RequirementPage) -> list[Requirement]:
    """Return the other open statements before the next step that the user can confirm."""
    # An ended integration has no next step.
    if not page.is_open:
        return []
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


class AttestationForm(ActionForm):
    """Confirmation of a statement and, if the user selects them, of others. `other_ids`: their requirement IDs."""

    confirmed = forms.BooleanField()
    also = forms.MultipleChoiceField(
        label=gettext_lazy("Confirm these statements too"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "invalid_choice": gettext_lazy("You can't confirm one of these statements now. Reload the page.")
        },
    )

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, **kwargs)
        is_program_task = page.requirement.responsible_party == FulfillingParty.PROGRAM
        party_name = _("the program") if is_program_task else page.integration.partner.name
        others = list_other_attestations(page)
        self.other_ids = [other.id for other in others]
        self.fields["confirmed"].label = _("I confirm this for %(name)s") % {"name": party_name}
        self.fields["also"].choices = [(other.id, other.statement) for other in others]  # type: ignore[attr-defined]
        if not others:
            del self.fields["also"]
        # Only what the page showed: a statement that became open since then has not been read.
        if all_ids := self.data.get("all"):  # the button that confirms every statement that the page showed
            self.data = {"confirmed": "on", "also": all_ids.split(",")}

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_answer and page.state.status != Status.SUBMITTED and not get_blocker(page)

    def perform(self) -> str:
        page = self.page
        other_ids = self.cleaned_data.get("also", [])
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


class NotApplicableForm(ActionForm):
    """Button with which the partner skips a requirement that is optional, open, and not an automated check."""

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        is_partner_task = (
            page.is_open
            and permissions.can_edit(page.integration, page.user)
            and page.requirement.responsible_party != FulfillingParty.PORTAL
        )
        return is_partner_task and page.requirement.optional and page.state.status == Status.OPEN

    def perform(self) -> str:
        if self.page.state.status != Status.NOT_APPLICABLE:
            self.page.call(requirement_services.mark_not_applicable)
        return _("“%(title)s” is marked as not applicable.") % {"title": self.page.requirement.title}


def build_form_context(page: RequirementPage) -> TemplateContext:
    return {
        "draft": page.draft,
        "keeps_drafts": page.can_save_draft,
        "answers": [pair for pair in list_answers(page.requirement, page.state.data) if pair[1]],
    }


FORM_PAGE = RequirementKindPage(
    {"answer": AnswerForm, "draft": DraftForm, "discard": DraftDeletionForm}, build_form_context
)
ATTESTATION_PAGE = RequirementKindPage({"confirm": AttestationForm}, lambda page: {"blocker": get_blocker(page)})
