"""How are questions answered and statements confirmed on the page? Drafts, versions, and two people at once."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.schema import Kind, Who
from integrations.submissions.forms.attestations import Confirm
from integrations.submissions.forms.buttons import Press
from integrations.submissions.forms.requirements import RequirementForm, shown, typed
from integrations.submissions.models import Draft
from integrations.submissions.services import drafts
from integrations.submissions.services import requirements as answers
from integrations.submissions.views.requirements.page import Act, KindPage, Page, open_page, plain
from integrations.submissions.workflow.states import Status
from portal.core.errors import NotAllowed


def draft_of(page: Page) -> Draft | None:
    """What the company typed and has not sent."""
    if page.requirement.kind != Kind.FORM or not keeps_drafts(page):
        return None
    rows = page.integration.drafts.filter(requirement_id=page.requirement.id, sent_at=None)
    return rows.select_related("saved_by").first()


def keeps_drafts(page: Page) -> bool:
    return page.can_answer and page.requirement.who == Who.PARTNER


def question_form(page: Page, **given: Any) -> RequirementForm:
    """The questions, filled with the draft, else with the answers so far."""
    draft = draft_of(page)
    return RequirementForm(page.requirement, initial=draft.data if draft else page.state.data, **given)


def number(page: Page, name: str) -> int:
    """A version that the page was sent with; -1 for nonsense, which is older than everything."""
    value = page.request.POST.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1


def give_answers(page: Page, form: RequirementForm) -> str | HttpResponse:
    """Send the answers. Where somebody answered or drafted others meanwhile, both versions are shown."""
    given = form.answers()
    newer = newer_draft(page)
    if newer is not None:
        seen = {"answered": number(page, "answered"), "version": newer.theirs.version}
        return conflict(page, "answer", str(newer), newer.theirs.data, **seen)
    try:
        _answer(page, given, version=number(page, "answered"))
    except NotAllowed as refusal:
        if refusal.kind != "stale":
            raise
        fresh = open_page(page.request, page.integration.uuid, page.requirement.id)
        if fresh.state.data == given and fresh.state.status == Status.GIVEN:
            return _("It is given already.")
        return conflict(fresh, "answer", str(refusal), fresh.state.data, answered=fresh.state.version)
    return _("“%(title)s” is given.") % {"title": page.requirement.title}


def newer_draft(page: Page) -> drafts.Conflict | None:
    """A draft with other text than is sent, saved after the page was made: sending would end it unseen."""
    draft, mine = draft_of(page), typed(page.requirement, page.request.POST)
    if draft is None or draft.version in (drafts.NOTHING_YET, number(page, "version")) or draft.data == mine:
        return None
    return drafts.Conflict(draft, mine, page.user)


def _answer(page: Page, given: Mapping[str, Any], version: int | None = None) -> None:
    rule = answers.ANSWERING[page.requirement.who]
    answers.answer(page.integration, page.requirement.id, given, by=page.user, now=page.now, rule=rule, version=version)


def conflict(page: Page, act: str, what: str, theirs: Mapping[str, Any], **versions: int) -> HttpResponse:
    """Both versions side by side, and a button that keeps the one just typed."""
    mine = typed(page.requirement, page.request.POST)
    rows = [
        (label, their_text, my_text)
        for (label, their_text), (_, my_text) in zip(
            shown(page.requirement, theirs), shown(page.requirement, mine), strict=True
        )
    ]
    fields = [(key, each) for key, value in mine.items() for each in (value if isinstance(value, list) else [value])]
    context = {"page": page, "what": what, "rows": rows, "act": act, "fields": [*fields, *versions.items()]}
    return render(page.request, "submissions/requirement_conflict.html", context, status=409)


def keep_draft(page: Page) -> Draft:
    """Save what stands in the fields. Raises NotAllowed and drafts.Conflict."""
    if not keeps_drafts(page):
        raise NotAllowed(_("Only owners and editors of the company keep drafts here."), "may")
    draft = drafts.open_answer(page.integration, page.requirement.id, by=page.user, now=page.now)
    data = typed(page.requirement, page.request.POST)
    return drafts.save(draft, data, version=number(page, "version"), by=page.user, now=page.now)


def save_for_later(page: Page, _form: Press) -> str | HttpResponse:
    try:
        keep_draft(page)
    except drafts.Conflict as meanwhile:
        return conflict(page, "draft", str(meanwhile), meanwhile.theirs.data, version=meanwhile.theirs.version)
    return _("Saved as a draft. Nothing is sent yet; your colleagues can continue.")


def throw_away(page: Page, _form: Press) -> str:
    draft = draft_of(page)
    if draft is not None:
        drafts.discard(draft, by=page.user, now=page.now)
    return _("The draft is gone. What was given before stays.")


def confirm_form(page: Page, **given: Any) -> Confirm:
    for_whom = _("the program") if page.requirement.who == Who.PROGRAM else page.integration.partner.name
    return Confirm(_("I confirm this for %(for_whom)s") % {"for_whom": for_whom}, **given)


def confirm(page: Page, _form: Confirm) -> str:
    if page.state.status != Status.GIVEN:
        _answer(page, {"confirmed": True})
    return _("“%(title)s” is confirmed.") % {"title": page.requirement.title}


def may_skip(page: Page) -> bool:
    """What is optional can be skipped by the company while nothing was given; what the machine does is no work."""
    theirs = page.is_open and permissions.may_edit(page.integration, page.user) and page.requirement.who != Who.MACHINE
    return theirs and page.requirement.optional and page.state.status == Status.OPEN


def say_not_needed(page: Page, _form: Press) -> str:
    if page.state.status != Status.NOT_NEEDED:
        answers.not_needed(page.integration, page.requirement.id, by=page.user, now=page.now)
    return _("“%(title)s” is not needed.") % {"title": page.requirement.title}


def form_context(page: Page) -> dict[str, Any]:
    return {
        "draft": draft_of(page),
        "keeps_drafts": keeps_drafts(page),
        "answers": [pair for pair in shown(page.requirement, page.state.data) if pair[1]],
    }


FORM = KindPage(
    {
        "answer": Act(lambda page: page.can_answer, question_form, give_answers),
        "draft": Act(keeps_drafts, plain(Press), save_for_later),
        "discard": Act(lambda page: draft_of(page) is not None, plain(Press), throw_away),
    },
    form_context,
)
ATTESTATION = KindPage(
    {"confirm": Act(lambda page: page.can_answer and page.state.status != Status.GIVEN, confirm_form, confirm)}
)
NOT_NEEDED = Act(may_skip, plain(Press), say_not_needed)
