"""Company of new integrations: the person's only one, one of several, or a new one."""

from dataclasses import dataclass

from django.contrib import messages
from django.utils import timezone

from integrations.partners import permissions
from integrations.partners.forms.members import PartnerProfileForm
from integrations.partners.models import Membership, Partner
from integrations.partners.selectors import find_company_domain, list_editable_partners, list_matching_partners
from integrations.partners.services.profiles import create_partner
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.ui.refusals import raise_if_forbidden
from verification.discovery.forms import CompanyForm


@dataclass(frozen=True)
class CompanyChoice:
    """Companies for which the person can edit, and the form that asks for one unless there is exactly one."""

    request: AuthenticatedRequest
    partners: list[Partner]
    form: PartnerProfileForm | CompanyForm | None

    def is_valid(self) -> bool:
        return self.form is None or self.form.is_valid()

    def get_partner(self) -> Partner:
        """Return the company, or create it. Call if the choice is valid. Raises ActionRefused."""
        # Called in the transaction that starts the integration, so that a refusal leaves no company behind.
        if isinstance(self.form, PartnerProfileForm):
            user = self.request.user
            return create_partner(
                **self.form.cleaned_data, domain=find_company_domain(user), actor=user, now=timezone.now()
            )
        return self.form.get_partner() if self.form is not None else self.partners[0]

    def show_refusal(self, refusal: ActionRefused) -> None:
        """Show the refusal at the name of a new company, or on the page. Raises PermissionDenied."""
        raise_if_forbidden(refusal)
        if isinstance(self.form, PartnerProfileForm):
            self.form.add_error("name", str(refusal))
        else:
            messages.error(self.request, str(refusal))

    @property
    def can_start(self) -> bool:
        """Return whether the person can edit for a company or found one. Viewers and program staff can't."""
        user = self.request.user
        is_member = Membership.objects.filter(user=user, ended_at=None).exists()
        return bool(self.partners) or not (is_member or permissions.is_program_staff(user))

    def list_suggestions(self) -> list[Partner]:
        """Return existing companies that the person may belong to."""
        return list_matching_partners(self.request.user, "") if not self.partners else []


def build_company_choice(request: AuthenticatedRequest, website: str = "") -> CompanyChoice:
    """Return the choice, bound to the input of a POST. `website` is the suggestion for a new company."""
    partners = list_editable_partners(request.user)
    data = request.POST if request.method == "POST" else None
    form: PartnerProfileForm | CompanyForm | None = None
    if not partners:
        form = PartnerProfileForm(data, prefix="company", initial={"website": website})
    elif len(partners) > 1:
        form = CompanyForm(partners, data=data)
    return CompanyChoice(request, partners, form)
