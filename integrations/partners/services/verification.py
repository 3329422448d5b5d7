"""Services that verify a company: by its domain, by its GitHub organization, or by a decision of the program.

Each service records the proof and one audit event. Reads of DNS and GitHub happen before the partner is locked, and
only for its owners, so that no one else makes the portal send requests.
"""

from contextlib import closing
from datetime import datetime

from allauth.account.models import EmailAddress
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from integrations.partners import dns_records, permissions, refusals
from integrations.partners.domains import list_claimable_domains
from integrations.partners.models import Partner, PartnerVerification, VerificationMethod, VerificationState
from integrations.partners.services.changes import PartnerChange, change_partner
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.repository_urls import OWNER_PATTERN
from portal.github_access.clients import get_organization_role
from portal.github_access.services import GrantEndedError, find_grant
from verification.sources.errors import AccessDeniedError, SourceError, SourceNotFoundError
from verification.sources.factory import build_github_client

RECORD_PREFIX = "_partner-portal"
VALUE_PREFIX = "partner-portal-verification="
GITHUB_REPOSITORY = ".github"
GITHUB_FILE = "portal-verification.txt"
OWNER_ROLE = "admin"  # the API's name for organization owners


def get_record_name(domain: str) -> str:
    """Return the name of the TXT record that proves a domain."""
    return f"{RECORD_PREFIX}.{domain}"


def get_record_value(partner: Partner) -> str:
    """Return the value of the TXT record, and the content of the file on GitHub."""
    return VALUE_PREFIX + partner.verification_token


def verify_by_dns(partner: Partner, domain: str, *, actor: User, now: datetime) -> None:
    """Verify a company by the TXT record of one of its domains. Raises ActionRefused."""
    refusals.require_permission(permissions.can_manage_partner, partner, actor)
    if domain not in list_claimable_domains(partner):
        raise ActionRefused(_("Select the domain of your company's website or email addresses."), "validation-error")
    # RFC 8552: an underscored name keeps the record apart from the other TXT records of the domain.
    name = get_record_name(domain)
    try:
        records = [record.strip() for record in dns_records.fetch_txt_records(name)]
    except dns_records.DnsUnavailableError:
        refusal = _("DNS didn't respond for %(name)s. Your record isn't the cause. Try again in a few minutes.")
        raise ActionRefused(refusal % {"name": name}, "service-unavailable") from None
    if not records:
        refusal = _("No TXT record found at %(name)s. New records can take up to an hour to appear.")
        raise ActionRefused(refusal % {"name": name}, "requirements-not-met")
    if get_record_value(partner) not in records:
        refusal = _("The TXT record at %(name)s doesn't match: it is %(found)s. Copy the value below into the record.")
        raise ActionRefused(refusal % {"name": name, "found": records[0][:200]}, "requirements-not-met")
    _record_proof(partner, VerificationMethod.DNS, domain, person=actor, actor=actor, now=now)


def verify_by_email(partner: Partner, *, actor: User, now: datetime) -> None:
    """Verify a company by a member's confirmed email address at one of its domains. Raises ActionRefused."""
    refusals.require_permission(permissions.can_manage_partner, partner, actor)
    address = find_member_address(partner)
    if address is None:
        refusal = _("No member has confirmed an email address at %(domains)s. Add one to your account and confirm it.")
        domains = ", ".join(list_claimable_domains(partner)) or _("the company's domain")
        raise ActionRefused(refusal % {"domains": domains}, "requirements-not-met")
    _record_proof(partner, VerificationMethod.EMAIL, get_domain(address), person=address.user, actor=actor, now=now)


def find_member_address(partner: Partner) -> EmailAddress | None:
    """Return the first confirmed address of an active member at a domain of the company, or None."""
    domains = set(list_claimable_domains(partner))
    addresses = EmailAddress.objects.filter(verified=True, user__in=partner.list_members()).select_related("user")
    return next((row for row in addresses.order_by("pk") if get_domain(row) in domains), None)


def verify_by_github(partner: Partner, organization: str, *, actor: User, now: datetime) -> None:
    """Verify a company by a file in a public repository of its GitHub organization. Raises ActionRefused."""
    _require_organization(partner, organization, actor)
    values = {"owner": organization, "path": f"{organization}/{GITHUB_REPOSITORY}", "file": GITHUB_FILE}
    try:
        owner, owner_type, text = _fetch_github_file(values["path"])
    except SourceNotFoundError:
        raise ActionRefused(
            _("The public repository %(path)s was not found.") % values, "requirements-not-met"
        ) from None
    except SourceError:
        refusal = _("GitHub didn't respond. Your file isn't the cause. Try again in a few minutes.")
        raise ActionRefused(refusal, "service-unavailable") from None
    # A personal account belongs to a person, so it proves nothing about a company.
    if owner_type != "Organization":
        refusal = _("%(owner)s is not a GitHub organization. Personal accounts can't verify a company.")
        raise ActionRefused(refusal % values, "requirements-not-met")
    if text is None:
        raise ActionRefused(
            _("The file %(file)s was not found in the repository %(path)s.") % values, "requirements-not-met"
        )
    if text.strip() != get_record_value(partner):
        raise ActionRefused(
            _("The file %(file)s in %(path)s doesn't match. Copy the text below into it.") % values,
            "requirements-not-met",
        )
    _record_proof(partner, VerificationMethod.GITHUB, owner, person=actor, actor=actor, now=now)


def verify_by_github_role(partner: Partner, organization: str, *, actor: User, now: datetime) -> None:
    """Verify a company by the GitHub organization that the actor owns, read with their grant. Raises ActionRefused."""
    _require_organization(partner, organization, actor)
    values = {"owner": organization}
    grant = find_grant(actor)
    if grant is None:
        raise ActionRefused(_("Connect GitHub first."), "requirements-not-met")
    try:
        owner, role = get_organization_role(grant, organization)
    except GrantEndedError:
        raise ActionRefused(_("Your GitHub access has ended. Connect GitHub again."), "requirements-not-met") from None
    except SourceNotFoundError:
        raise ActionRefused(
            _("GitHub doesn't list you as a member of %(owner)s.") % values, "requirements-not-met"
        ) from None
    except AccessDeniedError:
        refusal = _("We can't read your role in %(owner)s. Install the GitHub App there, or use the file.")
        raise ActionRefused(refusal % values, "requirements-not-met") from None
    except SourceError:
        raise ActionRefused(_("GitHub didn't respond. Try again in a few minutes."), "service-unavailable") from None
    # Anyone can be invited to an organization. Its owners control it.
    if role != OWNER_ROLE:
        raise ActionRefused(
            _("GitHub doesn't list you as an owner of %(owner)s. An owner can verify it.") % values,
            "requirements-not-met",
        )
    _record_proof(partner, VerificationMethod.GITHUB, owner.lower(), person=actor, actor=actor, now=now)


def _require_organization(partner: Partner, organization: str, actor: User) -> None:
    """Raise ActionRefused unless the actor is an owner and the name can be that of an organization."""
    refusals.require_permission(permissions.can_manage_partner, partner, actor)
    if not OWNER_PATTERN.fullmatch(organization):
        raise ActionRefused(_("Enter the name of your GitHub organization, such as example-inc."), "validation-error")


def _fetch_github_file(full_name: str) -> tuple[str, str, str | None]:
    """Return the current owner in lower case, its type, and the text of the file or None. Raises SourceError."""
    # Without a person's access, because the repository has to be public.
    with closing(build_github_client()) as client:
        repository = client.get_repository(full_name)
        owner = repository.full_name.partition("/")[0].lower()  # GitHub also answers for the former name
        text = client.get_snapshot(repository.full_name, repository.default_branch).read_text(GITHUB_FILE)
        return owner, repository.owner_type, text


def verify_by_decision(partner: Partner, note: str, *, actor: User, now: datetime, name: str | None = None) -> None:
    """Verify a company by a decision of the program, which needs a reason. Raises ActionRefused.

    `name`: the name that the actor read.
    """
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_decider(note, name)
        # A name that needs a decision is approved instead.
        if change.partner.verification_state != VerificationState.UNVERIFIED:
            raise ActionRefused(_("This company can't be verified now."), "conflict")
        _confirm(change, VerificationMethod.DECISION, "", person=actor, note=note.strip())


def verify_new_partner(change: PartnerChange) -> None:
    """Verify a company that was just created, if its owner already confirmed an address at its domain."""
    if address := find_member_address(change.partner):
        _confirm(change, VerificationMethod.EMAIL, get_domain(address), person=address.user)


def get_domain(address: EmailAddress) -> str:
    """Return the domain of an address in lower case."""
    return address.email.rpartition("@")[2].lower()


def _record_proof(
    partner: Partner, method: VerificationMethod, subject: str, *, person: User, actor: User, now: datetime
) -> None:
    """Record a proof that an owner found. Raises ActionRefused."""
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_manager()
        _confirm(change, method, subject, person=person)


def _confirm(change: PartnerChange, method: VerificationMethod, subject: str, *, person: User, note: str = "") -> None:
    """Record a proof of a locked partner, once. A name that needs a decision keeps it hidden. Raises ActionRefused."""
    if change.partner.is_rejected:
        raise ActionRefused(_("The program rejected this company. Change its name to request another decision."))
    # A proof that is found again changes nothing, and its first date stays.
    _verification, is_new = PartnerVerification.objects.get_or_create(
        partner=change.partner,
        method=method,
        subject=subject,
        defaults={"verified_by": person, "verified_at": change.now},
    )
    if not is_new:
        return
    # A proof says that the company is real, not that its name imitates no one. That remains a decision.
    if change.partner.verification_state == VerificationState.UNVERIFIED:
        change.partner.verification_state = VerificationState.VERIFIED
        change.partner.save()
    with translation.override(settings.LANGUAGE_CODE):  # the history stores texts for all readers
        proof = f"{method.label}: {subject}" if subject else str(method.label)
    change.record("partner.verified", note=note, person=person, method=method.value, subject=subject, proof=proof)
