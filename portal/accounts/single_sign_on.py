"""Sign-in of staff with OpenID Connect: who may sign in, and which roles the groups of the provider grant."""

from collections.abc import Collection

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.stagekit import clear_login
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.accounts import roles
from portal.accounts.models import User
from portal.accounts.provider_settings import SINGLE_SIGN_ON_ID
from portal.accounts.role_names import ADMINISTRATOR, AUDITOR, list_roles
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues

REASON = "Groups from single sign-on."


def is_single_sign_on(login: SocialLogin | None) -> bool:
    return login is not None and login.account.provider == SINGLE_SIGN_ON_ID


def is_in_domains(email: str) -> bool:
    """Return whether an address belongs to the provider of single sign-on."""
    return email.rpartition("@")[2].lower() in settings.OIDC_DOMAINS


def select_trusted_accounts() -> QuerySet[SocialAccount]:
    """Return the connected accounts whose second factor the provider checks at every sign-in."""
    if not (settings.OIDC_REQUIRED and settings.OIDC_SECOND_FACTOR):
        return SocialAccount.objects.none()
    return SocialAccount.objects.filter(provider=SINGLE_SIGN_ON_ID)


def require_known_address(request: HttpRequest, login: SocialLogin) -> None:
    """Refuse a person of the provider before an account is found or created.

    Raises:
        ImmediateHttpResponse: The address is outside the domains or not verified, or the person connects an account.
    """
    claims = collect_claims(login)
    refusal = ""
    # Otherwise, someone could connect an account with another address, which would get the roles of the groups.
    if login.state.get("process") == AuthProcess.CONNECT:
        refusal = _("Sign out, then sign in with single sign-on. Your accounts are connected by email address.")
    elif not is_in_domains(str(claims.get("email") or "")):
        refusal = _("Your email address is not in a domain that can use single sign-on. Contact the operator.")
    # Some providers omit the claim. Addresses in the domains belong to the organization in any case.
    elif claims.get("email_verified", True) is not True:
        refusal = _("Your organization has not verified your email address. Contact its help desk.")
    if refusal:
        raise ImmediateHttpResponse(render_refusal(request, refusal))


def refuse_sign_in(request: HttpRequest, user: User, login: SocialLogin | None) -> HttpResponse | None:
    """Update the roles of a person who signs in with single sign-on. Return a refusal, or None to continue."""
    if not settings.OIDC_ISSUER:
        return None
    refusal = ""
    if login is not None and is_single_sign_on(login):
        try:
            update_roles(user, read_groups(login), request=request)
        except ActionRefused as error:
            refusal = str(error)
    # Partners have no account at the provider and keep their own ways to sign in.
    elif settings.OIDC_REQUIRED and (list_roles(user) or is_in_domains(user.email)):
        refusal = _("Your account requires single sign-on.")
    if not refusal:
        return None
    clear_login(request)
    return render_refusal(request, refusal)


def render_refusal(request: HttpRequest, refusal: str) -> HttpResponse:
    return render(request, "accounts/sign_in_refused.html", {"refusal": refusal}, status=403)


def collect_claims(login: SocialLogin) -> NamedValues:
    """Return the claims of the ID token and the user info. Some providers send groups in one of them only."""
    data = login.account.extra_data
    return {**(data.get("id_token") or {}), **(data.get("userinfo") or {})}


def read_groups(login: SocialLogin) -> list[str] | None:
    """Return the groups of a person, or None if the claim is missing or is neither a name nor a list.

    Raises:
        ActionRefused: Microsoft Entra replaced the claim with a link, because the person has too many groups.
    """
    claims = collect_claims(login)
    name = settings.OIDC_GROUPS_CLAIM
    if name in (claims.get("_claim_names") or {}):
        message = _("Your organization sends too many groups. Ask the operator to limit the groups claim.")
        raise ActionRefused(message)
    groups = claims.get(name)
    if groups is None:
        return [] if settings.OIDC_OMITS_EMPTY_GROUPS else None
    if isinstance(groups, str):
        return [groups]
    return [str(group) for group in groups] if isinstance(groups, list) else None


def update_roles(user: User, groups: Collection[str] | None, *, request: HttpRequest) -> None:
    """Grant the roles of the groups, and revoke other roles that the mapping names.

    The last administrator keeps the role, because otherwise a wrong mapping would lock everyone out.

    Raises:
        ActionRefused: The roles conflict, or the groups of a person with mapped roles are unknown.
    """
    group_roles = settings.OIDC_GROUP_ROLES
    mapped = {role for role_names in group_roles.values() for role in role_names}
    current = set(list_roles(user))
    if groups is None and mapped & current:
        message = _("Your organization didn't send your groups. Ask the operator to check the groups claim.")
        raise ActionRefused(message)
    granted = {role for group in groups or () for role in group_roles.get(group, ())}
    revoked = (mapped - granted) & current
    if ADMINISTRATOR in revoked and roles.keep_last_administrator(
        user, now=timezone.now(), reason=REASON, request=request
    ):
        # Auditors have no other role.
        granted -= {AUDITOR}
        revoked -= {ADMINISTRATOR}
    if "reviewer" in granted | (current - revoked):  # covers all programs
        granted = {role for role in granted if not role.startswith("reviewer:")}
    if granted - current or revoked:
        roles.change_roles(
            user, grant=granted, revoke=revoked, actor=None, now=timezone.now(), reason=REASON, request=request
        )
        user.refresh_from_db()


def is_single_sign_on_session(request: HttpRequest) -> bool:
    """Return whether the session began with single sign-on."""
    records = get_authentication_records(request, request.user) if request.user.is_authenticated else []
    return any(record.get("provider") == SINGLE_SIGN_ON_ID for record in records)
