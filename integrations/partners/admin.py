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
from portal.accounts.models import User
from portal.audit.services import record
from portal.core.admin import ReadOnly
from portal.core.text_fields import Line


class MembershipInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The companies of a person. People change these themselves; staff only appoint an owner."""

    model = Membership
    extra = 0
    fields = ("partner", "user", "role", "joined_at", "ended_at")


class PartnerForm(forms.ModelForm):  # type: ignore[type-arg]
    """A company; `appoint` gives it an owner when it has none left."""

    domain = Line(label="Mail domain", max_length=120, required=False)
    appoint = forms.ModelChoiceField(
        label="Appoint an owner",
        queryset=User.objects.none(),
        required=False,
        help_text="For a company whose owners are all gone. It is written into the company's history.",
    )

    class Meta:
        model = Partner
        fields = ("name", "slug", "domain", "website", "alliances_manager")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["appoint"].queryset = User.objects.filter(is_active=True).order_by("email")  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        name: str = " ".join(self.cleaned_data["name"].split())
        if refusal := name_validation.name_refusal(name):
            raise forms.ValidationError(refusal)
        alike = name_validation.twin(name, timezone.now())
        if alike is not None and alike.pk != self.instance.pk:
            raise forms.ValidationError(f"{alike} is here already, and looks just like this name.")
        return name


@admin.register(Partner)
class PartnerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Companies and their people."""

    form = PartnerForm
    list_display = ("name", "domain", "alliances_manager", "created_at")
    search_fields = ("name", "domain")
    readonly_fields = ("created_at",)
    list_select_related = ("alliances_manager",)
    inlines = (MembershipInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A company stays, as its history does."""
        return False

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)
        if changed := [name for name in form.changed_data if name != "appoint"]:
            values = {name: str(getattr(obj, name) or "") for name in changed}
            before = {name: str(form.initial.get(name) or "") for name in changed}
            said = {"changes": values, "before": before}
            record(obj, "company_changed", by=request.user, now=timezone.now(), **said)  # type: ignore[arg-type]
        if appointed := form.cleaned_data.get("appoint"):
            members.appoint_owner(obj, appointed, by=request.user, now=timezone.now())  # type: ignore[arg-type]
