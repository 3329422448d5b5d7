"""What is asked when a token is made?"""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from integrations.partners.models import Role
from portal.api.scopes import list_available_scopes
from portal.core.text_fields import SingleLineField

LIFETIME_CHOICES = (("7", _("7 days")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("A year")))
DEFAULT_LIFETIME_DAYS = "90"
CHOICE_ERROR_MESSAGES = {"invalid_choice": _("Select an option.")}


class TokenForm(forms.Form):
    """A name that says where it is used, what it may do, and for how long. `company`: a company's token has a role."""

    name = SingleLineField(
        max_length=60, label=_("Name"), help_text=_("Where it is used, such as “ci” or “release script”."),
        error_messages={"required": _("Give it a name, so that you know it again.")},
    )  # fmt: skip
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        widget=forms.CheckboxSelectMultiple,
        error_messages=CHOICE_ERROR_MESSAGES
        | {"required": _("Choose at least one."), "invalid_list": _("Choose from the list.")},
    )
    role = forms.ChoiceField(
        label=_("It acts as"), error_messages=CHOICE_ERROR_MESSAGES,
        choices=[(Role.EDITOR.value, _("an editor")), (Role.VIEWER.value, _("a viewer, who reads along"))],
    )  # fmt: skip
    days = forms.ChoiceField(
        label=_("It lives for"),
        choices=LIFETIME_CHOICES,
        initial=DEFAULT_LIFETIME_DAYS,
        error_messages=CHOICE_ERROR_MESSAGES,
        help_text=_("You hear a week before it ends."),
    )

    def __init__(self, *args: Any, is_program_staff: bool, is_partner_token: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [
            (scope.key, _(scope.description))
            for scope in list_available_scopes(is_program_staff=is_program_staff, is_partner_token=is_partner_token)
        ]
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]
        if not is_partner_token:
            del self.fields["role"]
