"""Read-only admin pages of user accounts. The admin site uses the portal's sign-in."""

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from portal.accounts.models import User
from portal.core.admin import ReadOnlyAdminMixin


def change_own_password(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """Redirect to the portal's page. Django's doesn't end other sessions, revoke tokens, or send an email."""
    return redirect("account_change_password")


admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.password_change = change_own_password  # type: ignore[method-assign, assignment]


class AddressInline(ReadOnlyAdminMixin, admin.TabularInline):
    """Email addresses of a user."""

    model = EmailAddress
    extra = 0
    fields = ("email", "verified", "primary")


class SecondFactorInline(ReadOnlyAdminMixin, admin.TabularInline):
    """Second factors of a user, without their secrets."""

    model = Authenticator
    extra = 0
    fields = ("type", "created_at", "last_used_at")


class SessionInline(ReadOnlyAdminMixin, admin.TabularInline):
    """Sessions of a user."""

    model = UserSession
    extra = 0
    fields = ("created_at", "ip", "user_agent")


@admin.register(User)
class UserAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Read-only user pages. Roles change on the people page; only owners change their names and passwords."""

    # Named, so that a new column of users doesn't appear by itself
    fields = (
        "email",
        "name",
        "zone",
        "is_active",
        "is_reviewer",
        "is_staff",
        "is_superuser",
        "is_auditor",
        "program_roles",
        "last_login",
        "date_joined",
    )
    list_display = ("email", "name", "is_active", "is_reviewer", "is_staff", "is_superuser")
    list_filter = ("is_active", "is_reviewer", "is_staff", "is_superuser")
    search_fields = ("email", "name")
    ordering = ("email",)
    inlines = (AddressInline, SecondFactorInline, SessionInline)


# Remove the libraries' own admin pages: they can change these objects and show their secrets.
for model in (Group, EmailAddress, SocialAccount, SocialApp, SocialToken, Authenticator, UserSession):
    admin.site.unregister(model)
