"""Admin pages of partners."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from integrations.partners import name_validation
from integrations.partners.models import Membership, Partner
from integrations.partners.services import members
from portal.accounts.admin import UserAdmin
from portal.accounts.models import User
from portal.accounts.reauthentication import require_recent_authentication
from portal.audit.services import record_event
from portal.core.admin import ReadOnlyAdminMixin
from portal.core.form_fields import SingleLineField, send_initial_values
from portal.ui.refusals import report_refusals


class MembershipInline(ReadOnlyAdminMixin, admin.TabularInline):
    """Read-only list of a user's memberships. Staff can only appoint an owner."""

    model = Membership
    extra = 0
    fields = ("partner", "user", "role", "joined_at", "ended_at")


UserAdmin.inlines = (*UserAdmin.inlines, MembershipInline)  # type: ignore[assignment]


class PartnerForm(forms.ModelForm):
    """Partner form with a field that appoints an owner."""

    domain = SingleLineField(label="Email domain", max_length=253, required=False)
    appoint = forms.ModelChoiceField(
        label="Appoint an owner",
        queryset=User.objects.filter(is_active=True).order_by("email"),
        required=False,
        help_text="For a partner without an owner. The partner's history records the change.",
    )

    class Meta:
        model = Partner
        fields = ("name", "slug", "domain", "website", "alliances_manager")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        send_initial_values(self)

    def clean_name(self) -> str:
        name: str = " ".join(self.cleaned_data["name"].split())
        if name == self.initial.get("name"):  # it may have been allowed when it was chosen
            return name
        if refusal := name_validation.explain_name_refusal(name):
            raise forms.ValidationError(refusal)
        similar_partner = name_validation.find_similar_partner(name, timezone.now())
        if similar_partner is not None and similar_partner.pk != self.instance.pk:
            message = f"The name is too similar to the partner {similar_partner}. Enter another name."
            raise forms.ValidationError(message)
        return name


@admin.register(Partner)
class PartnerAdmin(admin.ModelAdmin):
    """Partners and their members."""

    form = PartnerForm
    list_display = ("name", "verification_state", "domain", "alliances_manager", "created_at")
    list_filter = ("verification_state",)
    search_fields = ("name", "domain")
    readonly_fields = ("verification_state", "created_at")
    list_select_related = ("alliances_manager",)
    inlines = (MembershipInline,)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return False, because the audit log refers to partners."""
        return False

    def save_model(self, request: HttpRequest, obj: Model, form: forms.ModelForm, change: bool) -> None:
        """Save the fields that the user edited, and record them."""
        changes = {name: form.cleaned_data[name] for name in form.changed_data if name != "appoint"}
        previous_values = dict.fromkeys(changes, "")
        if change:
            obj.refresh_from_db(from_queryset=Partner.objects.select_for_update(of=("self",), no_key=True))
            previous_values = {name: str(getattr(obj, name) or "") for name in changes}
            for name, value in changes.items():
                setattr(obj, name, value)
        else:
            obj.created_at = timezone.now()  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)
        if changes:
            values = {name: str(value or "") for name, value in changes.items()}
            event_data = {"changes": values, "before": previous_values}
            record_event(obj, "partner.profile_changed", actor=request.user, now=timezone.now(), **event_data)  # type: ignore[arg-type]
        if owner := form.cleaned_data.get("appoint"):
            # As on the page of the partner: a stolen session must not be able to take over a company.
            require_recent_authentication(request)
            with report_refusals(request):
                members.appoint_owner(obj, owner, actor=request.user, now=timezone.now())  # type: ignore[arg-type]
