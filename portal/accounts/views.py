"""Profile page."""

from copy import copy

from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from portal.accounts.forms import ProfileForm
from portal.accounts.requests import AuthenticatedRequest


def edit_profile(request: AuthenticatedRequest) -> HttpResponse:
    """Show and save the user's name and time zone, with links to the sign-in settings."""
    person = copy(request.user)  # a rejected name must not appear in the page header
    form = ProfileForm(data=request.POST or None, instance=person, initial=request.unsent())
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Profile saved."))
        return redirect("accounts:profile")
    context = {"form": form, "has_second_factor": is_mfa_enabled(request.user)}
    return render(request, "accounts/profile.html", context, status=422 if form.is_bound else 200)
