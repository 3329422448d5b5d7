"""Test accounts on the requirement page. Only one response contains the secret, and no cache stores it."""

from typing import Unpack
from uuid import uuid4

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.forms.credentials import SecretTextField
from integrations.submissions.models import TestCredential, TestCredentialAccess
from integrations.submissions.services import credentials
from integrations.submissions.views.requirements.page import (
    ActionForm,
    ItemActionForm,
    RequirementKindPage,
    RequirementPage,
    build_replaces_field,
)
from portal.accounts.reauthentication import require_recent_authentication
from portal.core import crypto
from portal.core.form_fields import BoundFormArguments, SingleLineField
from portal.core.value_types import TemplateContext


def list_credentials(page: RequirementPage) -> list[TestCredential]:
    return credentials.list_current_credentials(page.integration, page.requirement.id)


def list_credential_choices(page: RequirementPage) -> list[tuple[str, str]]:
    """Return stored test accounts as choices."""
    return [(str(credential.uuid), credential.label) for credential in list_credentials(page)]


class CredentialForm(ActionForm):
    """Test account. The page never shows its credentials again."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, error_messages={"required": gettext_lazy("Reload the page.")})
    label = SingleLineField(
        label=gettext_lazy("Account name"),
        help_text=gettext_lazy("For example, administrator of the test tenant. Don't enter secrets here."),
        max_length=120,
    )
    secret = SecretTextField(
        label=gettext_lazy("Credentials"),
        help_text=gettext_lazy(
            "Enter one value per line. We encrypt all values. Only the assigned reviewer can view them."
        ),
        max_length=8000,
        strip=False,
        error_messages={
            "required": gettext_lazy("Enter the credentials again. We don't save them until the form is complete.")
        },
    )
    permanent = forms.BooleanField(
        label=gettext_lazy("Permanent: store this account for rechecks after the review, until we withdraw it"),
        required=False,
    )

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, **kwargs)
        self.fields["replaces"] = build_replaces_field(list_credential_choices(page))
        self.fields["uuid"].initial = uuid4
        if not page.requirement.permanent:
            del self.fields["permanent"]

    @sensitive_variables()
    def perform(self) -> str:
        data = self.cleaned_data
        self.page.call(credentials.submit_credential, **data | {"secret": crypto.Secret(data["secret"])})
        return _("We stored “%(label)s” encrypted. We don't show the credentials again.") % {"label": data["label"]}


class CredentialWithdrawalForm(ItemActionForm):
    """Button that withdraws a test account."""

    def perform(self) -> str:
        self.page.call(credentials.withdraw_credential, **self.cleaned_data)
        return _("Test account withdrawn. We deleted the credentials.")


class CredentialRevealForm(ActionForm):
    """Test account to view and the reason for access."""

    uuid = forms.ChoiceField(
        label=gettext_lazy("Test account"),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Select a test account."),
            "invalid_choice": gettext_lazy("This test account was replaced or withdrawn. Reload the page."),
        },
    )
    reason = SingleLineField(
        label=gettext_lazy("Reason for access"),
        help_text=gettext_lazy("We record your name and reason, and notify the partner by email."),
        max_length=300,
        error_messages={"required": gettext_lazy("Enter a reason. We record it and send it to the partner.")},
    )

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, **kwargs)
        accounts = list_credential_choices(page)
        self.fields["uuid"].choices = accounts  # type: ignore[attr-defined]
        if len(accounts) == 1:
            self.fields["uuid"].widget = forms.HiddenInput()
            self.fields["uuid"].initial = accounts[0][0]

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        can_open = page.is_open and permissions.can_open_credentials(page.integration, page.user)
        return can_open and bool(list_credentials(page))

    @sensitive_variables()
    def perform(self) -> HttpResponse:
        """Show the secret once in a response that no cache stores."""
        page = self.page
        reason = self.cleaned_data["reason"]
        credential = credentials.get_credential(page.integration, page.requirement.id, self.cleaned_data["uuid"])
        if permissions.can_open_credentials(page.integration, page.user):  # the service refuses all others
            require_recent_authentication(page.request)
        secret = credentials.reveal_credential(credential, reason=reason, actor=page.user, now=page.now)
        context = {"page": page, "credential": credential, "value": secret.value}
        response = render(page.request, "submissions/requirement_revealed.html", context)
        # Neither the browser's history nor a proxy may show the secret later.
        response["Cache-Control"] = "no-store, private"
        return response


def build_credential_context(page: RequirementPage) -> TemplateContext:
    accesses = TestCredentialAccess.objects.filter(
        credential__integration=page.integration, credential__requirement_id=page.requirement.id
    )
    return {
        "credentials": list_credentials(page),
        "accesses": list(accesses.select_related("accessed_by", "credential").order_by("-accessed_at")[:20]),
        "is_reviewer": page.can_decide,
    }


CREDENTIALS_PAGE = RequirementKindPage(
    {"add": CredentialForm, "withdraw": CredentialWithdrawalForm, "reveal": CredentialRevealForm},
    build_credential_context,
)
