"""Form for new API tokens."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy as _

from integrations.partners.models import Partner, Role
from portal.accounts.models import User
from portal.api.scopes import list_available_scopes
from portal.core.form_fields import FormArguments, SingleLineField

LIFETIME_CHOICES = (("7", _("7 days")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year")))
CHOICE_ERROR_MESSAGES = {"invalid_choice": _("Select an option.")}


class TokenForm(forms.Form):
    """Name, scopes, and expiration of a token. Partner tokens also have a role."""

    name = SingleLineField(
        max_length=60,
        label=_("Name"),
        help_text=_("Describe where you use the token. For example, “ci” or “release script”."),
        error_messages={"required": _("Enter a name.")},
    )
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        widget=forms.CheckboxSelectMultiple,
        error_messages=CHOICE_ERROR_MESSAGES
        | {"required": _("Select at least one scope."), "invalid_list": _("Select listed scopes only.")},
    )
    role = forms.ChoiceField(
        label=_("Role"),
        error_messages=CHOICE_ERROR_MESSAGES,
        choices=[(Role.EDITOR.value, _("Editor")), (Role.VIEWER.value, _("Viewer: read-only access"))],
    )
    days = forms.ChoiceField(
        label=_("Expiration"),
        choices=LIFETIME_CHOICES,
        initial="90",
        error_messages=CHOICE_ERROR_MESSAGES,
        help_text=_("We email you one week before the token expires."),
    )

    def __init__(self, creator: User, partner: Partner | None, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        choices = [(scope.key, _(scope.description)) for scope in list_available_scopes(creator, partner)]
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]
        if partner is None:
            del self.fields["role"]
