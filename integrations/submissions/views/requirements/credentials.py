"""How are test accounts given, opened and withdrawn on the page? The value is on one answer only, and never kept."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.forms.buttons import ItemButtonForm
from integrations.submissions.forms.credentials import CredentialRevealForm, TestCredentialForm
from integrations.submissions.models import TestCredentialAccess
from integrations.submissions.services import credentials
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    make_form_factory,
)
from portal.accounts.reauthentication import require_recent_authentication
from portal.core import crypto
from portal.core.errors import ActionRefused


def list_credential_choices(page: RequirementPage) -> list[tuple[str, str]]:
    """The accounts that are kept, as choices."""
    return [
        (str(credential.uuid), credential.label)
        for credential in credentials.list_current_credentials(page.integration, page.requirement.id)
    ]


def build_credential_form(page: RequirementPage, **form_kwargs: Any) -> TestCredentialForm:
    return TestCredentialForm(
        can_be_permanent=page.requirement.permanent, replaceable=list_credential_choices(page), **form_kwargs
    )


@sensitive_variables()
def submit_credential(page: RequirementPage, form: TestCredentialForm) -> str:
    data = form.cleaned_data
    credentials.submit_credential(
        page.integration, page.requirement.id, data["label"], crypto.Secret(data["secret"]),
        permanent=data.get("permanent", False), replaces=data["replaces"], uuid=data["uuid"],
        actor=page.user, now=page.now,
    )  # fmt: skip
    return _("“%(label)s” is kept, encrypted. It is not shown again.") % {"label": data["label"]}


def withdraw_credential(page: RequirementPage, form: ItemButtonForm) -> str:
    uuid = str(form.cleaned_data["uuid"])
    credentials.withdraw_credential(page.integration, page.requirement.id, uuid, actor=page.user, now=page.now)
    return _("The account is withdrawn and its value is gone.")


def build_reveal_form(page: RequirementPage, **form_kwargs: Any) -> CredentialRevealForm:
    return CredentialRevealForm(list_credential_choices(page), **form_kwargs)


@sensitive_variables()
def reveal_credential(page: RequirementPage, form: CredentialRevealForm) -> HttpResponse:
    """The one page that shows a value. No cache keeps it, and going back asks again."""
    current_credentials = credentials.list_current_credentials(page.integration, page.requirement.id)
    credential = next(
        (candidate for candidate in current_credentials if str(candidate.uuid) == form.cleaned_data["uuid"]), None
    )
    if credential is None:
        raise ActionRefused(_("This account was replaced or withdrawn meanwhile."), "conflict")
    if permissions.can_open_credentials(page.integration, page.user):  # all others are refused anyway
        require_recent_authentication(page.request)
    secret = credentials.reveal_credential(
        credential, reason=form.cleaned_data["reason"], actor=page.user, now=page.now
    )
    context = {"page": page, "credential": credential, "value": secret.value}
    response = render(page.request, "submissions/requirement_revealed.html", context)
    response["Cache-Control"] = "no-store, private"
    return response


def can_reveal(page: RequirementPage) -> bool:
    return (
        page.is_open
        and permissions.can_open_credentials(page.integration, page.user)
        and bool(list_credential_choices(page))
    )


def build_credential_context(page: RequirementPage) -> dict[str, Any]:
    accesses = TestCredentialAccess.objects.filter(
        credential__integration=page.integration, credential__requirement_id=page.requirement.id
    )
    return {
        "credentials": credentials.list_current_credentials(page.integration, page.requirement.id),
        "uses": list(accesses.select_related("by", "credential").order_by("-at")[:20]),
        "is_reviewer": page.can_decide,
    }


CREDENTIALS_PAGE = RequirementKindPage(
    {
        "give": RequirementAction(lambda page: page.can_answer, build_credential_form, submit_credential),
        "withdraw": RequirementAction(
            lambda page: page.can_answer, make_form_factory(ItemButtonForm), withdraw_credential
        ),
        "reveal": RequirementAction(can_reveal, build_reveal_form, reveal_credential),
    },
    build_credential_context,
)
