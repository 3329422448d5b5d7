"""How are test accounts given, opened and withdrawn on the page? The value is on one answer only, and never kept."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.forms.buttons import PressOne
from integrations.submissions.forms.credentials import Account, Reveal
from integrations.submissions.models import CredentialUse
from integrations.submissions.services import credentials
from integrations.submissions.views.requirements.page import Act, KindPage, Page, plain
from portal.accounts.reauthentication import require_recent_authentication
from portal.core import crypto
from portal.core.errors import NotAllowed


def pairs(page: Page) -> list[tuple[str, str]]:
    """The accounts that are kept, as choices."""
    return [(str(each.uuid), each.label) for each in credentials.current(page.integration, page.requirement.id)]


def account_form(page: Page, **given: Any) -> Account:
    return Account(may_stay=page.requirement.permanent, there=pairs(page), **given)


@sensitive_variables()
def give(page: Page, form: Account) -> str:
    given = form.cleaned_data
    credentials.give(
        page.integration, page.requirement.id, given["label"], crypto.Secret(given["secret"]),
        permanent=given.get("permanent", False), replaces=given["replaces"], uuid=given["uuid"],
        by=page.user, now=page.now,
    )  # fmt: skip
    return _("“%(label)s” is kept, encrypted. It is not shown again.") % {"label": given["label"]}


def withdraw(page: Page, form: PressOne) -> str:
    uuid = str(form.cleaned_data["uuid"])
    credentials.withdraw(page.integration, page.requirement.id, uuid, by=page.user, now=page.now)
    return _("The account is withdrawn and its value is gone.")


def reveal_form(page: Page, **given: Any) -> Reveal:
    return Reveal(pairs(page), **given)


@sensitive_variables()
def reveal(page: Page, form: Reveal) -> HttpResponse:
    """The one page that shows a value. No cache keeps it, and going back asks again."""
    kept = credentials.current(page.integration, page.requirement.id)
    credential = next((each for each in kept if str(each.uuid) == form.cleaned_data["uuid"]), None)
    if credential is None:
        raise NotAllowed(_("This account was replaced or withdrawn meanwhile."), "stale")
    if permissions.may_open(page.integration, page.user):  # all others are refused anyway
        require_recent_authentication(page.request)
    secret = credentials.reveal(credential, reason=form.cleaned_data["reason"], by=page.user, now=page.now)
    context = {"page": page, "credential": credential, "value": secret.value}
    answer = render(page.request, "submissions/requirement_revealed.html", context)
    answer["Cache-Control"] = "no-store, private"
    return answer


def may_reveal(page: Page) -> bool:
    return page.is_open and permissions.may_open(page.integration, page.user) and bool(pairs(page))


def context(page: Page) -> dict[str, Any]:
    mine = CredentialUse.objects.filter(
        credential__integration=page.integration, credential__requirement_id=page.requirement.id
    )
    return {
        "credentials": credentials.current(page.integration, page.requirement.id),
        "uses": list(mine.select_related("by", "credential").order_by("-at")[:20]),
        "is_reviewer": page.can_decide,
    }


CREDENTIALS = KindPage(
    {
        "give": Act(lambda page: page.can_answer, account_form, give),
        "withdraw": Act(lambda page: page.can_answer, plain(PressOne), withdraw),
        "reveal": Act(may_reveal, reveal_form, reveal),
    },
    context,
)
