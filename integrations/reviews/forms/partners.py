"""Forms of the partner pages for program staff."""

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permission_conditions
from integrations.partners.models import Partner
from portal.accounts.models import User
from portal.core.form_fields import MultiLineField, SingleLineField
from portal.ui.name_confirmation import NameConfirmationForm


class AlliancesManagerForm(forms.Form):
    """Contact of a partner; without one, the program mailbox is shown."""

    manager = forms.ModelChoiceField(
        label=gettext_lazy("Alliances manager"),
        queryset=User.objects.filter(permission_conditions.WRITES_FOR_PROGRAMS, is_active=True)
        .order_by("name")
        .only("name", "email"),
        required=False,
        empty_label=gettext_lazy("None (program mailbox)"),
    )

    def clean_manager(self) -> User | None:
        """Refuse data without the field, which would remove the manager."""
        if "manager" not in self.data:
            raise forms.ValidationError(_("Select an alliances manager, or none."))
        return self.cleaned_data["manager"]


class OwnerForm(forms.Form):
    """Address of the account to make an owner of a company."""

    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Address of an account in the portal. A person without one must sign up first."),
    )

    def clean_email(self) -> str:
        """Store the account with the address, in any case, as `user`."""
        email: str = self.cleaned_data["email"]
        self.cleaned_data["user"] = User.objects.filter(email__iexact=email, is_active=True).first()
        if self.cleaned_data["user"] is None:
            raise forms.ValidationError(_("No active account has this address. Ask the person to sign up."))
        return email


class PartnerDecisionForm(forms.Form):
    """Reason for a decision on a company, and the name that the page shows."""

    name = SingleLineField(required=False, max_length=120, widget=forms.HiddenInput)
    note = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        rows=3,
        help_text=gettext_lazy("The partner's owners see it in their email and in the history."),
        error_messages={"required": gettext_lazy("Enter a reason. We record it with the decision.")},
    )


class MergeTargetForm(forms.Form):
    """Company that receives the data of the merged one."""

    into = forms.SlugField(
        label=gettext_lazy("Remaining partner"),
        max_length=80,
        help_text=gettext_lazy("The last part of the URL of its page, such as acme-rockets."),
    )

    def clean_into(self) -> Partner:
        partner = Partner.objects.filter(slug=self.cleaned_data["into"], merged_into=None).first()
        if partner is None:
            raise forms.ValidationError(_("Partner not found. Copy the last part of the URL of its page."))
        return partner


class MergeNoteForm(NameConfirmationForm):
    """Reason for a merge, and the name of the company that it closes."""

    note = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        rows=3,
        help_text=gettext_lazy("The owners of both partners see it in the history."),
    )
