"""Test accounts on the requirement page. Only one response contains the secret, and no cache stores it."""

from typing import Unpack

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
from portal.core.django_arguments import BoundFormArguments
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext


def list_credential_choices(page: RequirementPage) -> list[tuple[str, str]]:
    """Return stored test accounts as choices."""
    return [
        (str(credential.uuid), credential.label)
        for credential in credentials.list_current_credentials(page.integration, page.requirement.id)
    ]


def build_credential_form(page: RequirementPage, **form_kwargs: Unpack[BoundFormArguments]) -> TestCredentialForm:
    return TestCredentialForm(
        can_be_permanent=page.requirement.permanent, replaceable=list_credential_choices(page), **form_kwargs
    )


@sensitive_variables()
def submit_credential(page: RequirementPage, form: TestCredentialForm) -> str:
    data = form.cleaned_data
    credentials.submit_credential(
        page.integration,
        page.requirement.id,
        data["label"],
        crypto.Secret(data["secret"]),
        permanent=data.get("permanent", False),
        replaces=data["replaces"],
        uuid=data["uuid"],
        actor=page.user,
        now=page.now,
    )
    return _("We stored “%(label)s” encrypted. We don't show the credentials again.") % {"label": data["label"]}


def withdraw_credential(page: RequirementPage, form: ItemButtonForm) -> str:
    uuid = str(form.cleaned_data["uuid"])
    credentials.withdraw_credential(page.integration, page.requirement.id, uuid, actor=page.user, now=page.now)
    return _("Test account withdrawn. We deleted the credentials.")


def build_reveal_form(page: RequirementPage, **form_kwargs: Unpack[BoundFormArguments]) -> CredentialRevealForm:
    return CredentialRevealForm(list_credential_choices(page), **form_kwargs)


@sensitive_variables()
def reveal_credential(page: RequirementPage, form: CredentialRevealForm) -> HttpResponse:
    """Show the secret once in a response that no cache stores."""
    current_credentials = credentials.list_current_credentials(page.integration, page.requirement.id)
    credential = next(
        (candidate for candidate in current_credentials if str(candidate.uuid) == form.cleaned_data["uuid"]), None
    )
    if credential is None:
        raise ActionRefused(_("This test account was replaced or withdrawn. Reload the page."), "conflict")
    if permissions.can_open_credentials(page.integration, page.user):  # the service refuses all others
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


def build_credential_context(page: RequirementPage) -> TemplateContext:
    accesses = TestCredentialAccess.objects.filter(
        credential__integration=page.integration, credential__requirement_id=page.requirement.id
    )
    return {
        "credentials": credentials.list_current_credentials(page.integration, page.requirement.id),
        "accesses": list(accesses.select_related("by", "credential").order_by("-at")[:20]),
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
