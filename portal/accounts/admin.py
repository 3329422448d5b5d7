"""Admin pages of user accounts, whose actions call the role service. The admin site uses the portal's sign-in."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from portal.accounts import roles
from portal.accounts.models import RoleRequest, User
from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.accounts.role_names import ADMINISTRATOR, ROLES, describe_role
from portal.core.admin import ReadOnlyAdminMixin
from portal.core.errors import ActionRefused
from portal.core.text_fields import SingleLineField

Row = TypeVar("Row", bound=Model)


def change_own_password(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """Redirect to the portal's page. Django's doesn't end other sessions, revoke tokens, or send an email."""
    return redirect("account_change_password")


admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.password_change = change_own_password  # type: ignore[method-assign, assignment]


class AddressInline(ReadOnlyAdminMixin, admin.TabularInline):  # type: ignore[type-arg]
    """Email addresses of a user."""

    model = EmailAddress
    extra = 0
    fields = ("email", "verified", "primary")


class SecondFactorInline(ReadOnlyAdminMixin, admin.TabularInline):  # type: ignore[type-arg]
    """Second factors of a user, without their secrets."""

    model = Authenticator
    extra = 0
    fields = ("type", "created_at", "last_used_at")


class SessionInline(ReadOnlyAdminMixin, admin.TabularInline):  # type: ignore[type-arg]
    """Sessions of a user."""

    model = UserSession
    extra = 0
    fields = ("created_at", "ip", "user_agent")


def list_role_choices() -> list[tuple[str, str]]:
    return [("", "Select a role"), *((role, describe_role(role)) for role in ROLES)]


class ReasonForm(ActionForm):
    """Reason of an action. The role service refuses a blank one."""

    reason = SingleLineField(max_length=200, required=False)


class RoleForm(ReasonForm):
    """Role to grant or revoke, and the reason."""

    role = forms.ChoiceField(choices=list_role_choices, required=False)


def change_rows(request: AuthenticatedRequest, rows: Iterable[Row], change: Callable[..., None]) -> None:
    """Apply a change to each selected row, and show what changed and what was refused."""
    require_recent_authentication(request)
    for row in rows:
        try:
            change(row, actor=request.user, now=timezone.now(), reason=request.POST.get("reason", ""), request=request)
        except ActionRefused as refusal:
            messages.error(request, f"{row}: {refusal}")
        else:
            messages.success(request, f"{row}: done.")


def change_selected_role(request: AuthenticatedRequest, users: QuerySet[User], *, is_grant: bool) -> None:
    """Grant or revoke the selected role, and show which grants wait for a second administrator."""
    role = request.POST.get("role", "")
    if not role:
        messages.error(request, "Select a role.")
        return
    grant, revoke = ([role], []) if is_grant else ([], [role])
    change_rows(request, users, partial(roles.change_roles, grant=grant, revoke=revoke))
    if role == ADMINISTRATOR:
        for role_request in RoleRequest.objects.filter(user__in=users):
            messages.warning(request, f"{role_request.user}: a second administrator must approve the role request.")


@admin.register(User)
class UserAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):  # type: ignore[type-arg]
    """User pages. Their actions call portal.accounts.roles. Only owners change their names and passwords."""

    actions = ("grant_role", "revoke_role", "sign_out", "deactivate", "reactivate")
    action_form = RoleForm
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

    @admin.action(description="Grant role")
    def grant_role(self, request: AuthenticatedRequest, users: QuerySet[User]) -> None:
        change_selected_role(request, users, is_grant=True)

    @admin.action(description="Revoke role")
    def revoke_role(self, request: AuthenticatedRequest, users: QuerySet[User]) -> None:
        change_selected_role(request, users, is_grant=False)

    @admin.action(description="Sign out everywhere")
    def sign_out(self, request: AuthenticatedRequest, users: QuerySet[User]) -> None:
        change_rows(request, users, roles.end_sessions)

    @admin.action(description="Deactivate account")
    def deactivate(self, request: AuthenticatedRequest, users: QuerySet[User]) -> None:
        change_rows(request, users, roles.deactivate)

    @admin.action(description="Reactivate account")
    def reactivate(self, request: AuthenticatedRequest, users: QuerySet[User]) -> None:
        change_rows(request, users, roles.reactivate)


@admin.register(RoleRequest)
class RoleRequestAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):  # type: ignore[type-arg]
    """Requests for the administrator role, which a second administrator approves or rejects."""

    list_display = ("user", "requested_by", "reason", "requested_at")
    list_select_related = ("user", "requested_by")
    actions = ("approve", "reject")
    action_form = ReasonForm

    @admin.action(description="Approve request")
    def approve(self, request: AuthenticatedRequest, role_requests: QuerySet[RoleRequest]) -> None:
        change_rows(request, role_requests, roles.approve_request)

    @admin.action(description="Reject request")
    def reject(self, request: AuthenticatedRequest, role_requests: QuerySet[RoleRequest]) -> None:
        change_rows(request, role_requests, roles.reject_request)


# Remove the libraries' own admin pages: they can change these objects and show their secrets.
for model in (Group, EmailAddress, SocialAccount, SocialApp, SocialToken, Authenticator, UserSession):
    admin.site.unregister(model)
