"""Pages to create and revoke personal and company tokens."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from integrations.partners.views.members import get_own_partner
from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.api.forms import TokenForm
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.crypto import Secret
from portal.core.one_time_secrets import store_secret, take_secret
from portal.ui.refusals import add_refusals_to_form, report_refusals
from portal.webhooks.permissions import list_managed_partners


def manage_tokens(request: AuthenticatedRequest, slug: str = "") -> HttpResponse:
    """Show and create personal tokens, or those of a company, for its owners."""
    partner = get_own_partner(request, slug) if slug else None
    if partner and not permissions.can_manage_partner(partner, request.user):
        messages.error(request, refusals.get_refusal("can_manage"))
        return redirect("partners:members", slug)
    # Reauthentication interrupts the form, and its values come back here.
    unsent_data = request.unsent()
    initial = unsent_data.dict() | {"scopes": unsent_data.getlist("scopes")} if unsent_data else None
    form = TokenForm(request.user, partner, data=request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        with add_refusals_to_form(form):
            return _create_token(request, partner, form)
    owned_tokens = ApiToken.objects.owned_by(partner or request.user)
    now = timezone.now()
    context = {
        "form": form,
        "partner": partner,
        "now": now,
        "managed_partners": list_managed_partners(request.user) if partner is None else [],
        "live": list(owned_tokens.live(now).select_related("created_by")),
        "ended": list(owned_tokens.filter(~Q(revoked_at=None) | Q(expires_at__lte=now))[:20]),
    }
    return render(request, "api/tokens.html", context, status=422 if request.method == "POST" else 200)


@sensitive_variables()
def _create_token(request: AuthenticatedRequest, partner: Partner | None, form: TokenForm) -> HttpResponse:
    """Create a token and redirect to the page that shows its secret once."""
    require_recent_authentication(request)
    cleaned_data = form.cleaned_data
    token, secret = tokens.create_token(
        cleaned_data["name"],
        cleaned_data["scopes"],
        int(cleaned_data["days"]),
        actor=request.user,
        now=timezone.now(),
        partner=partner,
        role=cleaned_data.get("role", ""),
        request=request,
    )
    # Shown on the next page: reloading the response of the form would create another token.
    store_secret(request, f"token {token.uuid}", Secret(secret))
    return redirect("api:new_token", token.uuid)


@sensitive_variables()
def show_new_token(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the secret of a new token once. Later requests redirect to the list of tokens."""
    token = _get_token(request, uuid)
    tokens_url = _get_tokens_url(token.partner)
    # Only the session of the token's creator has the secret, so other members see none.
    secret = take_secret(request, f"token {uuid}")
    if secret is None:
        messages.info(request, _("We show a token only once. If you didn't copy it, revoke it and create another one."))
        return redirect(tokens_url)
    context = {"token": token, "secret": secret.value, "tokens_url": tokens_url}
    return render(request, "api/token_created.html", context)


def _get_token(request: AuthenticatedRequest, uuid: UUID) -> ApiToken:
    """Return a token of the user or of a company of the user, or raise Http404."""
    token = get_object_or_404(ApiToken.objects.select_related("partner", "user"), uuid=uuid)
    is_partner_member = token.partner is not None and bool(permissions.get_role(token.partner, request.user))
    if not is_partner_member and token.user_id != request.user.pk:
        raise Http404(_("Token not found."))
    return token


def _get_tokens_url(partner: Partner | None) -> str:
    return reverse("api:partner_tokens", args=[partner.slug]) if partner else reverse("api:tokens")


def revoke_token(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Revoke a token."""
    token = _get_token(request, uuid)
    if request.method == "POST":
        with report_refusals(request, _("Token “%(name)s” revoked.") % {"name": token.name}):
            require_recent_authentication(request)
            tokens.revoke_token(token, actor=request.user, now=timezone.now(), request=request)
    return redirect(_get_tokens_url(token.partner))
