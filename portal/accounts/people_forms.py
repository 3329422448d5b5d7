"""Forms of the people page."""

from collections.abc import Collection, Iterator
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundWidget
from django.utils.translation import gettext as _, gettext_lazy

from integrations.programs.registry import PROGRAMS
from portal.accounts.forms import INVALID_EMAIL_MESSAGE
from portal.accounts.models import User
from portal.accounts.role_names import PROGRAM_ROLES, ROLE_LABELS, describe_role, list_manageable_roles
from portal.core.form_fields import FilterField, FormArguments, SingleLineField


class PeopleFilterForm(forms.Form):
    """Filters in the URL of the list. An invalid filter shows an error; the others still apply."""

    q = SingleLineField(
        label=gettext_lazy("Person"), required=False, max_length=100, widget=forms.TextInput(attrs={"type": "search"})
    )
    role = FilterField(
        label=gettext_lazy("Role"),
        choices=[*ROLE_LABELS.items(), ("none", gettext_lazy("No role")), ("all", gettext_lazy("All accounts"))],
        empty_label=gettext_lazy("Any role"),
    )
    program = FilterField(
        label=gettext_lazy("Program"), choices=[(key, program.name) for key, program in PROGRAMS.items()]
    )
    active = FilterField(
        label=gettext_lazy("Account"), choices=[("yes", gettext_lazy("Active")), ("no", gettext_lazy("Deactivated"))]
    )
    second_factor = FilterField(
        label=gettext_lazy("Two-factor"), choices=[("on", gettext_lazy("On")), ("missing", gettext_lazy("Missing"))]
    )


class ReasonForm(forms.Form):
    """Reason of a change, for the audit log and the emails."""

    reason = SingleLineField(
        label=gettext_lazy("Reason"),
        max_length=200,
        help_text=gettext_lazy("Appears in the audit log and the emails."),
        error_messages={"required": gettext_lazy("Enter a reason. It appears in the audit log and the email.")},
    )


class RolesForm(forms.Form):
    """Roles that the actor can manage: portal-wide roles, and a matrix of programs and roles."""

    roles = forms.MultipleChoiceField(
        label=gettext_lazy("Roles"), required=False, widget=forms.CheckboxSelectMultiple, choices=()
    )

    def __init__(self, actor: User, current_roles: Collection[str] = (), **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.initial["roles"] = list(current_roles)
        self.manageable_roles = list_manageable_roles(actor)
        choices = [(role, describe_role(role)) for role in self.manageable_roles]
        self.fields["roles"].choices = choices  # type: ignore[attr-defined]

    def clean_roles(self) -> list[str]:
        roles: list[str] = self.cleaned_data["roles"]
        if "reviewer" in roles and any(role.startswith("reviewer:") for role in roles):
            raise ValidationError(_("Select either reviewer of all programs or reviewer of some programs."))
        return roles

    @property
    def portal_roles(self) -> list[BoundWidget]:
        return [widget for widget in self["roles"] if ":" not in widget.data["value"]]

    @property
    def program_rows(self) -> Iterator[tuple[str, list[BoundWidget]]]:
        """Yield the name of each program with the checkboxes of its roles, in the order of PROGRAM_ROLES."""
        widgets = {widget.data["value"]: widget for widget in self["roles"]}
        for key, program in PROGRAMS.items():
            if f"{PROGRAM_ROLES[0]}:{key}" in widgets:
                yield program.name, [widgets[f"{role}:{key}"] for role in PROGRAM_ROLES]


class PersonRolesForm(RolesForm, ReasonForm):
    """Roles of a person, and the reason of their change."""

    field_order = ("roles", "reason")
    shown_roles = SingleLineField(required=False, widget=forms.HiddenInput)  # so that unchanged boxes change nothing

    def __init__(self, actor: User, current_roles: Collection[str] = (), **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(actor, current_roles, **kwargs)
        self.initial["shown_roles"] = " ".join(current_roles)

    @property
    def changes(self) -> tuple[list[str], list[str]]:
        """Return the roles to grant and to revoke. Roles that the actor can't manage stay."""
        # Compared with the roles that the page showed: what a colleague changed in the meantime stays.
        selected = set(self.cleaned_data["roles"])
        shown = set(self.cleaned_data["shown_roles"].split())
        return sorted(selected - shown), sorted(shown & set(self.manageable_roles) - selected)


class PersonInvitationForm(RolesForm):
    """Email address of a person, and the roles they are invited to."""

    email = forms.EmailField(
        label=gettext_lazy("Email address"), max_length=254, error_messages={"invalid": INVALID_EMAIL_MESSAGE}
    )
    field_order = ("email", "roles")

    def __init__(self, actor: User, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(actor, **kwargs)
        self.fields["roles"].required = True
        self.fields["roles"].error_messages["required"] = _("Select at least one role.")
