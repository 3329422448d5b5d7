"""Admin pages about people, which are read-only, and companies. Sign-in to them is everybody's sign-in."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from integrations import company
from integrations.actions import people
from integrations.admin import ReadOnly
from integrations.history import record
from integrations.models import Membership, Partner
from integrations.plain import Line
from portal.accounts.models import User


def change_own_password(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """Lead to the portal's page, which ends other sessions, revokes tokens and tells the owner; Django's does not."""
    return redirect("account_change_password")


admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.password_change = change_own_password  # type: ignore[method-assign, assignment]


class MembershipInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The companies of a person. People change these themselves; staff only appoint an owner."""

    model = Membership
    extra = 0
    fields = ("partner", "user", "role", "joined_at", "ended_at")


class AddressInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The email addresses of a person."""

    model = EmailAddress
    extra = 0
    fields = ("email", "verified", "primary")


class SecondFactorInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The second factors of a person, without their secrets."""

    model = Authenticator
    extra = 0
    fields = ("type", "created_at", "last_used_at")


class SessionInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """The sessions of a person."""

    model = UserSession
    extra = 0
    fields = ("created_at", "ip", "user_agent")


@admin.register(User)
class PersonAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """People, for looking things up. Roles change through portal.accounts.roles, passwords by their owners alone."""

    fields = (
        "email", "name", "zone", "is_active", "is_reviewer", "is_staff", "is_superuser", "last_login", "date_joined",
    )  # fmt: skip
    list_display = ("email", "name", "is_active", "is_reviewer", "is_staff", "is_superuser")
    list_filter = ("is_active", "is_reviewer", "is_staff", "is_superuser")
    search_fields = ("email", "name")
    ordering = ("email",)
    inlines = (AddressInline, SecondFactorInline, SessionInline, MembershipInline)


# The libraries register pages that would add, change and delete these, and show their secrets.
for model in (Group, EmailAddress, SocialAccount, SocialApp, SocialToken, Authenticator, UserSession):
    admin.site.unregister(model)


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
