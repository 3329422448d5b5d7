"""Deletion of a person's data from a deactivated account. What others rely on stays, with a placeholder as the name.

These stay: the audit log, decisions, and signed agreements, which are proofs, and what the person wrote to others.
"""

from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import CharField, Model, Q, Value
from django.db.models.functions import Cast, Concat, Lower
from django.utils.translation import gettext as _

from integrations.escalations.models import Escalation
from integrations.partners.models import Invitation, JoinRequest
from integrations.partners.selectors import list_solely_owned_partners
from integrations.partners.services.members import end_membership
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import ReadMarker
from portal.accounts import roles
from portal.accounts.models import DELETED_EMAIL_DOMAIN, RoleRequest, SecurityEvent, StaffInvitation, User
from portal.accounts.role_names import list_roles
from portal.accounts.security_log import TEXTS
from portal.analytics.models import SavedView
from portal.api.models import ApiToken
from portal.audit.services import record_account_event
from portal.core.errors import ActionRefused
from portal.core.json_texts import JSONTexts
from portal.github_access.models import GitHubGrant
from portal.inbox.models import CalendarFeed
from portal.notifications.models import EmailMessage, NotificationPreference
from portal.reports.models import ExternalRecipient, ReportSubscription

# Rows that concern no one else, by the field that names the person.
PERSONAL_ROWS: dict[type[Model], str] = {
    EmailAddress: "user",
    Authenticator: "user",  # passkeys, authenticator apps, and recovery codes
    SocialAccount: "user",
    UserSession: "user",
    SecurityEvent: "user",
    RoleRequest: "user",
    ApiToken: "user",
    GitHubGrant: "user",
    CalendarFeed: "user",
    NotificationPreference: "user",
    ReportSubscription: "user",
    ReviewerProfile: "user",
    JoinRequest: "user",
    ReadMarker: "user",
    SavedView: "owner",
}
ROWS_WITH_ADDRESS: dict[type[Model], str] = {
    StaffInvitation: "email",
    Invitation: "email",
    ExternalRecipient: "email",
}
CONFIRMATION_TEMPLATE = TEXTS.emails["account/email/email_confirmation"].template
UNSENT_STATES = (
    EmailMessage.State.HELD,
    EmailMessage.State.QUEUED,
    EmailMessage.State.STORED,
    EmailMessage.State.BATCHED,
)


@transaction.atomic
def pseudonymize(user: User, *, reason: str, now: datetime) -> User:
    """Replace the name and addresses of a deactivated account, and delete its credentials, settings, and emails.

    Raises ActionRefused if the account is active, or the only owner of a company.
    """
    # First, because it locks accounts in one order. Otherwise, two changes of accounts could wait for each other.
    roles.change_roles(user, revoke=list_roles(user), actor=None, now=now, reason=reason)
    user.refresh_from_db()
    if user.is_active:
        raise ActionRefused(_("Deactivate the account first, which ends its sessions and revokes its tokens."))
    if partners := list_solely_owned_partners(user):
        names = ", ".join(partner.name for partner in partners)
        raise ActionRefused(_("These companies need another active owner first: %(names)s.") % {"names": names})
    for membership in user.memberships.filter(ended_at=None).order_by("partner_id"):  # like a merge, against deadlocks
        end_membership(membership, actor=None, now=now)
    addresses = _list_addresses(user)
    user.email = f"{user.pk}@{DELETED_EMAIL_DOMAIN}"
    user.name = f"Deleted account {user.pk}"
    user.zone = User._meta.get_field("zone").default
    user.last_login = None
    user.set_unusable_password()
    user.save()
    _clear_emails(user, addresses)
    _replace_notified_addresses(user, addresses)
    for model, field in PERSONAL_ROWS.items():
        model._default_manager.filter(**{field: user}).delete()
    for model, field in ROWS_WITH_ADDRESS.items():
        model._default_manager.alias(lower_address=Lower(field)).filter(lower_address__in=addresses).delete()
    failed_sign_ins = SecurityEvent.objects.filter(user=None).alias(lower_address=Lower("address"))
    failed_sign_ins.filter(lower_address__in=addresses).delete()
    record_account_event(user, "account.pseudonymized", actor=None, now=now, note=reason, name=user.name)
    return user


def _list_addresses(user: User) -> set[str]:
    """Return the addresses of an account in lowercase, without those that can belong to someone else."""
    confirmed = EmailAddress.objects.filter(verified=True).annotate(lower_email=Lower("email"))
    addresses = {user.email.lower(), *confirmed.filter(user=user).values_list("lower_email", flat=True)}
    others = confirmed.exclude(user=user).filter(lower_email__in=addresses)
    return addresses - set(others.values_list("lower_email", flat=True))


def _clear_emails(user: User, addresses: set[str]) -> None:
    """Cancel unsent emails to a person, and delete the content of all. That they were sent can matter to a decision."""
    # Of the emails to an address that the person never confirmed, only the requests to confirm it are theirs.
    unconfirmed = EmailAddress.objects.filter(user=user, verified=False).values(lower_email=Lower("email"))
    is_request = Q(name=CONFIRMATION_TEMPLATE, lower_to__in=unconfirmed)
    is_own = Q(person=user) | (Q(person=None) & (Q(lower_to__in=addresses) | is_request))
    emails = EmailMessage.objects.alias(lower_to=Lower("to")).filter(is_own)
    emails.filter(state__in=UNSENT_STATES).update(state=EmailMessage.State.CANCELED)
    emails.update(
        key=Concat(Value("deleted:"), Cast("uuid", CharField())),
        to=user.email,
        person=user,
        text="",
        html="",
        calendar="",
        unsubscribe="",
        last_error="",
    )


def _replace_notified_addresses(user: User, addresses: set[str]) -> None:
    """Replace the addresses in the lists of escalations, which then still name the same account."""
    for address in addresses:
        escalations = Escalation.objects.alias(texts=JSONTexts("notified_addresses")).filter(texts__icontains=address)
        for escalation in escalations.select_for_update(of=("self",)).order_by("pk"):
            escalation.notified_addresses = [
                user.email if each.lower() == address else each for each in escalation.notified_addresses
            ]
            escalation.save(update_fields=["notified_addresses"])
