"""Where does a person, or a company's owner, make tokens and revoke them? The secret is on one answer only."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.partners.views.members import own_company
from portal.accounts.reauthentication import require_recent_authentication
from portal.api.forms import TokenForm
from portal.api.models import ApiToken
from portal.api.services import tokens as keys
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


@never_cache
def tokens(request: HttpRequest) -> HttpResponse:
    """A person's own tokens."""
    return _page(request, None)


@never_cache
def company_tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """A company's tokens, for its owners."""
    partner = own_company(request, slug)
    if not permissions.manages(partner, request.user):
        messages.error(request, permissions.refusal("may_manage"))
        return redirect("company", slug)
    return _page(request, partner)


def _page(request: HttpRequest, partner: Partner | None) -> HttpResponse:
    form = form_of(request, partner)
    if request.method == "POST" and form.is_valid():
        try:
            return _make(request, partner, form)
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
    mine = ApiToken.objects.filter(partner=partner) if partner else ApiToken.objects.filter(user=request.user)  # type: ignore[misc]
    now = timezone.now()
    context = {
        "form": form, "partner": partner, "now": now, "places": _places(request) if partner is None else [],
        "live": list(mine.filter(revoked_at=None, expires_at__gt=now).select_related("made_by")),
        "ended": list(mine.filter(~Q(revoked_at=None) | Q(expires_at__lte=now))[:20]),
    }  # fmt: skip
    return render(request, "api/tokens.html", context, status=422 if request.method == "POST" else 200)


def form_of(request: HttpRequest, partner: Partner | None) -> TokenForm:
    typed = request.POST if request.method == "POST" else None
    unsent = request.unsent()  # type: ignore[attr-defined]
    initial = unsent.dict() | {"scopes": unsent.getlist("scopes")} if unsent else None
    is_program = permissions.works_for_program(request.user)
    return TokenForm(typed, program=is_program, company=partner is not None, initial=initial)


def _places(request: HttpRequest) -> list[Partner]:
    """The companies whose tokens this person manages."""
    owned = [pk for pk, role in permissions.roles_of(request.user).items() if role == "owner"]
    return list(Partner.objects.filter(pk__in=owned).order_by("name"))


@sensitive_variables()
def _make(request: HttpRequest, partner: Partner | None, form: TokenForm) -> HttpResponse:
    """The one page that shows the secret."""
    require_recent_authentication(request)
    given = form.cleaned_data
    token, secret = keys.make(
        given["name"], given["scopes"], int(given["days"]), by=request.user, now=timezone.now(), partner=partner,
        role=given.get("role", ""), request=request,
    )  # fmt: skip
    back = reverse("company_tokens", args=[partner.slug]) if partner else reverse("tokens")
    answer = render(
        request, "api/token_made.html", {"token": token, "secret": secret, "partner": partner, "back": back}
    )
    answer["Cache-Control"] = "no-store, private"
    return answer


def token_revoke(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take a token back, at once."""
    token = get_object_or_404(ApiToken.objects.select_related("partner"), uuid=uuid)
    of_company = token.partner is not None and bool(permissions.role_of(token.partner, request.user))
    if not of_company and token.user_id != request.user.pk:
        raise Http404(_("There is no such token."))
    if request.method == "POST":
        try:
            require_recent_authentication(request)
            keys.revoke(token, by=request.user, now=timezone.now(), request=request)
            messages.success(request, _("“%(name)s” is revoked. It is refused from now on.") % {"name": token.name})
        except NotAllowed as refusal:
            refused(request, refusal)
    return redirect("company_tokens", token.partner.slug) if token.partner else redirect("tokens")


urlpatterns: list[Any] = [
    path("profile/tokens/", tokens, name="tokens"),
    path("company/<slug:slug>/tokens/", company_tokens, name="company_tokens"),
    path("tokens/<uuid:uuid>/revoke/", token_revoke, name="token_revoke"),
]
