"""Test accounts on the requirement page. Only one response contains the secret, and no cache stores it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.forms.credentials import CredentialRevealForm, TestCredentialForm
from integrations.submissions.forms.requirement_actions import ItemButtonForm
from integrations.submissions.models import TestCredential, TestCredentialAccess
from integrations.submissions.services import credentials
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    can_answer,
)
from portal.accounts.reauthentication import require_recent_authentication
from portal.core import crypto
from portal.core.value_types import NamedValues, TemplateContext


def list_credentials(page: RequirementPage) -> list[TestCredential]:
    return credentials.list_current_credentials(page.integration, page.requirement.id)


def list_credential_choices(page: RequirementPage) -> list[tuple[str, str]]:
    """Return stored test accounts as choices."""
    return [(str(credential.uuid), credential.label) for credential in list_credentials(page)]


@sensitive_variables()
def submit_credential(page: RequirementPage, data: NamedValues) -> str:
    page.call(credentials.submit_credential, **data | {"secret": crypto.Secret(data["secret"])})
    return _("We stored “%(label)s” encrypted. We don't show the credentials again.") % {"label": data["label"]}


def withdraw_credential(page: RequirementPage, data: NamedValues) -> str:
    page.call(credentials.withdraw_credential, **data)
    return _("Test account withdrawn. We deleted the credentials.")


@sensitive_variables()
def reveal_credential(page: RequirementPage, data: NamedValues) -> HttpResponse:
    """Show the secret once in a response that no cache stores."""
    credential = credentials.get_credential(page.integration, page.requirement.id, data["uuid"])
    if permissions.can_open_credentials(page.integration, page.user):  # the service refuses all others
        require_recent_authentication(page.request)
    secret = credentials.reveal_credential(credential, reason=data["reason"], actor=page.user, now=page.now)
    context = {"page": page, "credential": credential, "value": secret.value}
    response = render(page.request, "submissions/requirement_revealed.html", context)
    # Neither the browser's history nor a proxy may show the secret later.
    response["Cache-Control"] = "no-store, private"
    return response


def can_reveal(page: RequirementPage) -> bool:
    can_open = page.is_open and permissions.can_open_credentials(page.integration, page.user)
    return can_open and bool(list_credentials(page))


def build_credential_context(page: RequirementPage) -> TemplateContext:
    accesses = TestCredentialAccess.objects.filter(
        credential__integration=page.integration, credential__requirement_id=page.requirement.id
    )
    return {
        "credentials": list_credentials(page),
        "accesses": list(accesses.select_related("by", "credential").order_by("-at")[:20]),
        "is_reviewer": page.can_decide,
    }


def get_credential_arguments(page: RequirementPage) -> NamedValues:
    return {"can_be_permanent": page.requirement.permanent, "replaceable": list_credential_choices(page)}


CREDENTIALS_PAGE = RequirementKindPage(
    {
        "add": RequirementAction(can_answer, TestCredentialForm, submit_credential, get_credential_arguments),
        "withdraw": RequirementAction(can_answer, ItemButtonForm, withdraw_credential),
        "reveal": RequirementAction(
            can_reveal,
            CredentialRevealForm,
            reveal_credential,
            lambda page: {"accounts": list_credential_choices(page)},
        ),
    },
    build_credential_context,
)
