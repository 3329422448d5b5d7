"""What can staff see and do about people and companies? Sign-in to these pages is everybody's sign-in."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from integrations import company
from integrations.actions import people
from integrations.admin import ReadOnly
from integrations.history import record
from integrations.models import Membership, Partner
from integrations.plain import Line
from portal.accounts.forms import NameLine
from portal.accounts.models import User

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


class PersonCreationForm(AdminUserCreationForm):
    """A person is known by the mail address."""

    name = NameLine(label="Name", max_length=120)

    class Meta:
        model = User
        fields = ("email", "name")


class PersonForm(UserChangeForm):
    """What staff may change of a person."""

    name = NameLine(label="Name", max_length=120)

    class Meta:
        model = User
        fields = ("email", "name", "zone", "is_active", "is_reviewer", "is_staff")


class MembershipInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Who belongs where since when. People change this themselves; staff only appoint an owner."""

    model = Membership
    extra = 0
    fields = ("partner", "user", "role", "joined_at", "ended_at")


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """People, their rights, and where they belong."""

    form = PersonForm
    add_form = PersonCreationForm
    add_fieldsets = ((None, {"fields": ("email", "name", "usable_password", "password1", "password2")}),)
    fieldsets = (
        (None, {"fields": ("email", "name", "zone", "password")}),
        ("Rights", {"fields": ("is_active", "is_reviewer", "is_staff", "is_superuser", "groups")}),
        ("Moments", {"fields": ("last_login", "date_joined")}),
    )
    list_display = ("email", "name", "is_active", "is_reviewer", "is_staff")
    list_filter = ("is_active", "is_reviewer", "is_staff")
    search_fields = ("email", "name")
    ordering = ("email",)
    inlines = (MembershipInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """People are switched off, not deleted: a company could lose its last owner without a word."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """An address is proven by its owner, who changes it."""
        return ("last_login", "date_joined", *(("email",) if obj else ()))


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
        if refusal := company.name_refusal(name):
            raise forms.ValidationError(refusal)
        alike = company.twin(name, timezone.now())
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
            people.appoint_owner(obj, appointed, by=request.user, now=timezone.now())  # type: ignore[arg-type]
