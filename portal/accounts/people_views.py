"""Pages about people, their roles, and invitations."""

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache

from portal.accounts import invitations, people, roles
from portal.accounts.adapters import list_verified_addresses
from portal.accounts.models import RoleRequest, StaffInvitation, User
from portal.accounts.people_forms import PeopleFilterForm, PersonInvitationForm, PersonRolesForm, ReasonForm
from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest, is_authenticated
from portal.accounts.role_names import describe_role, list_manageable_roles, list_roles
from portal.core.crypto import hash_token
from portal.core.value_types import TemplateContext
from portal.ui.pagination import paginate, redirect_to_list
from portal.ui.refusals import add_refusals_to_form, render_action_form, report_refusals

ACCOUNT_ACTIONS = {"sign_out": roles.end_sessions, "deactivate": roles.deactivate, "reactivate": roles.reactivate}
REQUEST_DECISIONS = {"approve": roles.approve_request, "reject": roles.reject_request}
ACTION_LABELS = {
    "sign_out": gettext_lazy("Sign out everywhere"),
    "deactivate": gettext_lazy("Deactivate account"),
    "reactivate": gettext_lazy("Reactivate account"),
    "approve": gettext_lazy("Approve role"),
    "reject": gettext_lazy("Decline role"),
}
ACTION_RESULTS = {
    "sign_out": gettext_lazy("%(name)s is signed out everywhere."),
    "deactivate": gettext_lazy("Account of %(name)s deactivated."),
    "reactivate": gettext_lazy("Account of %(name)s reactivated."),
    "approve": gettext_lazy("%(name)s is now an administrator."),
    "reject": gettext_lazy("Administrator role of %(name)s declined."),
}


def require_reader(request: AuthenticatedRequest) -> None:
    """Raise Http404 for people who can't see other accounts."""
    if not people.can_view_people(request.user):
        raise Http404(_("Page not found."))


def list_people(request: AuthenticatedRequest) -> HttpResponse:
    """List people with their roles, second factor, and last activity, and the open invitations."""
    require_reader(request)
    form = PeopleFilterForm(data=request.GET)
    form.is_valid()
    page = paginate(request, people.filter_people(people.select_people(request.user), form.cleaned_data))
    open_invitations = invitations.list_open_invitations(timezone.now()).select_related("invited_by")
    context = {
        "form": form,
        "page": page,
        "rows": [(person, describe_roles(list_roles(person)), people.get_last_activity(person)) for person in page],
        "is_filtered": any(form.cleaned_data.values()),
        "can_invite": bool(list_manageable_roles(request.user)),
        "invitations": [
            (invitation, describe_roles(invitation.roles))
            for invitation in open_invitations
            if invitations.can_manage_invitation(invitation, request.user)
        ],
        "role_requests": RoleRequest.objects.select_related("user") if request.user.is_superuser else (),
    }
    return render(request, "accounts/people.html", context)


def describe_roles(role_names: list[str]) -> list[str]:
    return [describe_role(role) for role in role_names]


def show_person(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show a person, and change their roles."""
    require_reader(request)
    # Program managers don't find people of other programs.
    person = get_object_or_404(people.select_people(request.user), pk=pk)
    data = request.POST if request.method == "POST" else request.unsent()
    form = PersonRolesForm(request.user, list_roles(person), data=data)
    if request.method == "POST":
        # A stolen session must not be able to grant roles.
        require_recent_authentication(request)
        if form.is_valid():
            with add_refusals_to_form(form):
                change_roles(request, person, form)
                return redirect("accounts:person", pk)
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/person.html", build_person_context(request.user, person, form), status=status)


def change_roles(request: AuthenticatedRequest, person: User, form: PersonRolesForm) -> None:
    """Change the roles as selected, and report what needs a second administrator. Raises ActionRefused."""
    grant, revoke = form.changes
    reason = form.cleaned_data["reason"]
    now = timezone.now()
    roles.change_roles(person, grant=grant, revoke=revoke, actor=request.user, now=now, reason=reason, request=request)
    messages.success(request, _("Roles of %(name)s saved.") % {"name": person})
    if RoleRequest.objects.filter(user=person).exists():
        messages.warning(request, _("A second administrator must approve the administrator role."))


def build_person_context(reader: User, person: User, form: PersonRolesForm) -> TemplateContext:
    """Return the person's account, and the forms that the reader can use."""
    is_other = person.pk != reader.pk
    return {
        "person": person,
        "roles": describe_roles(list_roles(person)),
        "form": form if is_other and form.manageable_roles else None,
        "reason_form": ReasonForm(auto_id="account-%s") if is_other and reader.is_superuser else None,
        "deactivation_form": ReasonForm(auto_id="deactivation-%s"),
        "request_form": ReasonForm(auto_id="request-%s"),
        "role_request": RoleRequest.objects.select_related("requested_by").filter(user=person).first(),
        "addresses": list_verified_addresses(person),
        "session_count": UserSession.objects.filter(user=person).count(),
        "last_activity_at": people.get_last_activity(person),
    }


def change_account(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Sign a person out, deactivate or reactivate their account, or decide on their role request."""
    require_reader(request)
    person = get_object_or_404(people.select_people(request.user), pk=pk)
    name = request.POST.get("action", "")
    if name not in ACTION_LABELS:
        return redirect("accounts:person", pk)
    require_recent_authentication(request)
    form = ReasonForm(request.POST)
    if form.is_valid():
        now = timezone.now()
        reason = form.cleaned_data["reason"]
        with add_refusals_to_form(form):
            if action := ACCOUNT_ACTIONS.get(name):
                action(person, actor=request.user, now=now, reason=reason, request=request)
            else:
                role_request = get_object_or_404(RoleRequest, user=person)
                decide = REQUEST_DECISIONS[name]
                decide(role_request, actor=request.user, now=now, reason=reason, request=request)
            messages.success(request, ACTION_RESULTS[name] % {"name": person})
            return redirect("accounts:person", pk)
    cancel_url = reverse("accounts:person", args=[pk])
    return render_action_form(
        request,
        form,
        request.POST,
        label=ACTION_LABELS[name],
        cancel_url=cancel_url,
        template="accounts/account_action.html",
        person=person,
        is_deactivation=name == "deactivate",
    )


def invite_person(request: AuthenticatedRequest) -> HttpResponse:
    """Invite someone to roles by email."""
    require_reader(request)
    if not list_manageable_roles(request.user):
        raise Http404(_("Page not found."))
    data = request.POST if request.method == "POST" else request.unsent()
    form = PersonInvitationForm(request.user, data=data)
    if request.method == "POST":
        require_recent_authentication(request)
        if form.is_valid():
            email = form.cleaned_data["email"]
            role_names = form.cleaned_data["roles"]
            with add_refusals_to_form(form):
                invitation = invitations.send_invitation(email, role_names, actor=request.user, now=timezone.now())
                messages.success(request, _("Invitation sent to %(email)s.") % {"email": invitation.email})
                return redirect("accounts:people")
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/invite_person.html", {"form": form}, status=status)


def change_invitation(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Resend an invitation with a new link, or revoke it."""
    require_reader(request)
    invitation = get_object_or_404(invitations.list_open_invitations(timezone.now()), pk=pk)
    if not invitations.can_manage_invitation(invitation, request.user):
        raise Http404(_("Page not found."))
    name = request.POST.get("action")
    now = timezone.now()
    if name == "resend":
        require_recent_authentication(request)
        message = _("New invitation sent to %(email)s. The earlier link no longer works.") % {"email": invitation.email}
        with report_refusals(request, message):
            invitations.send_invitation(invitation.email, invitation.roles, actor=request.user, now=now)
    elif name == "revoke":
        with report_refusals(request, _("Invitation to %(email)s revoked.") % {"email": invitation.email}):
            invitations.revoke_invitation(invitation, actor=request.user, now=now)
    return redirect_to_list(request, "accounts:people")


@login_not_required
@never_cache
def show_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation with a button to accept it, or the reason why the user can't accept it."""
    # Links are found by the hash, because the token itself is not stored.
    invitation = get_object_or_404(StaffInvitation.objects.select_related("invited_by"), token_hash=hash_token(token))
    if request.method == "POST":
        return accept_invitation(request, invitation) if is_authenticated(request) else redirect_to_login(request.path)
    # A visitor sees the invitation as its recipient would. Accepting it requires the address.
    addresses = list_verified_addresses(request.user) if is_authenticated(request) else [invitation.email]
    refusal = invitations.explain_refusal(invitation, addresses, timezone.now())
    if not refusal and not is_authenticated(request):
        # the link came by email, so the person who signs up with it has proved the address
        get_adapter().stash_verified_email(request, invitation.email)
    context = {"invitation": invitation, "refusal": refusal, "roles": describe_roles(invitation.roles)}
    return render(request, "accounts/invitation.html", context)


def accept_invitation(request: AuthenticatedRequest, invitation: StaffInvitation) -> HttpResponse:
    """Grant the roles and redirect to the home page, or show why not."""
    addresses = list_verified_addresses(request.user)
    with report_refusals(request, _("You accepted the invitation.")):
        invitations.accept_invitation(
            invitation, user=request.user, addresses=addresses, now=timezone.now(), request=request
        )
        return redirect("dashboard:home")
    return redirect(request.path)
