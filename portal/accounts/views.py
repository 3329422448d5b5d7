"""Profile page, and pages of account security: security log, email addresses, and new sign-in."""

from copy import copy
from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.account.views import EmailView
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from portal.accounts.forms import ProfileForm
from portal.accounts.models import SecurityEvent
from portal.accounts.reauthentication import has_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.accounts.security_log import TEXTS
from portal.core.value_types import TemplateContext
from portal.ui.pagination import paginate

PAGE_SIZE = 50


def edit_profile(request: AuthenticatedRequest) -> HttpResponse:
    """Show and save the user's name and time zone, with links to the sign-in settings."""
    person = copy(request.user)  # a rejected name must not appear in the page header
    unsent = request.unsent()
    # A model form would take the list of values of each field from a QueryDict.
    initial = unsent.dict() if unsent else None
    form = ProfileForm(data=request.POST or None, instance=person, initial=initial)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Profile saved."))
        return redirect("accounts:profile")
    context = {"form": form, "has_second_factor": is_mfa_enabled(request.user)}
    return render(request, "accounts/profile.html", context, status=422 if form.is_bound else 200)


@never_cache
def show_security_log(request: HttpRequest) -> HttpResponse:
    """List the security events of the user's own account, newest first."""
    page = paginate(request, SecurityEvent.objects.filter(user=request.user.pk), PAGE_SIZE)
    rows = [(event, _(TEXTS.events[event.kind].label)) for event in page.object_list]
    return render(request, "accounts/security_log.html", {"page": page, "rows": rows})


class EmailAddressesView(EmailView):
    """Email address page that restores the form after reauthentication."""

    def get(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        self.unsent: QueryDict = request.unsent() or QueryDict()  # type: ignore[attr-defined]
        if "action_add" in self.unsent:
            self.initial = {"email": self.unsent.get("email", "")}
        response: HttpResponse = super().get(request, *args, **kwargs)
        return response

    def get_context_data(self, **kwargs: Any) -> TemplateContext:
        context: TemplateContext = super().get_context_data(**kwargs)
        radios = context["emailaddress_radios"]
        selected_email = getattr(self, "unsent", QueryDict()).get("email")
        # The page shows what was selected before the new sign-in.
        if selected_email in [radio["emailaddress"].email for radio in radios]:
            for radio in radios:
                radio["checked"] = radio["emailaddress"].email == selected_email
        return context


@never_cache
def request_new_sign_in(request: HttpRequest) -> HttpResponse:
    """Ask a user without a password and second factor to sign in again, then redirect to `next`."""
    target = get_next_redirect_url(request) or ""
    if has_recent_authentication(request):
        # not redirect(), which would resolve the target as a URL name
        return HttpResponseRedirect(target or resolve_url("accounts:profile"))
    return render(request, "accounts/sign_in_again.html", {"target": target})
