"""Agreement signatures on the requirement page."""

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.requirement_actions import SignatureForm
from integrations.submissions.models import Agreement
from integrations.submissions.services import agreements
from integrations.submissions.services.agreements import AgreementSignature, get_signature
from integrations.submissions.services.requirements import OTHER_PARTY, get_acting_party
from integrations.submissions.views.requirements.page import RequirementAction, RequirementKindPage, RequirementPage
from integrations.submissions.workflow.states import ResponsibleParty
from portal.core.value_types import NamedValues, TemplateContext


def get_agreement(page: RequirementPage) -> Agreement | None:
    return agreements.get_latest_agreement(page.integration.partner, page.requirement.agreement)


def get_signature_arguments(page: RequirementPage) -> NamedValues:
    """Return the recorded signature of the user's side. The other side's version is fixed."""
    agreement, side = get_agreement(page), get_acting_party(page.integration, page.user)
    own_signature = get_signature(agreement, side)
    fixed_version = agreement.version if agreement and get_signature(agreement, OTHER_PARTY[side]) else ""
    text = page.integration.edition.agreement(page.requirement.agreement)
    initial: NamedValues = {"version": agreement.version if agreement else text.version if text else ""}
    if own_signature is not None:
        initial |= {"signer": own_signature.signer, "signed_on": own_signature.signed_on}
    return {"request": page.request, "version": fixed_version, "initial": initial}


def sign_agreement(page: RequirementPage, data: NamedValues, *, renews: bool = False) -> str:
    signature, version = AgreementSignature(data["signer"], data["signed_on"]), data.get("version", "")
    agreement = page.call(agreements.sign_agreement, signature, version=version, file=data["file"], renews=renews)
    if agreement.is_complete:
        return _("Both sides signed version %(version)s.") % {"version": agreement.version}
    return _("Signature of version %(version)s recorded. The other side signs next.") % {"version": agreement.version}


def renew_agreement(page: RequirementPage, data: NamedValues) -> str:
    return sign_agreement(page, data, renews=True)


def is_agreement_complete(page: RequirementPage) -> bool:
    agreement = get_agreement(page)
    return agreement is not None and agreement.is_complete


def can_sign(page: RequirementPage) -> bool:
    return page.can_answer and not is_agreement_complete(page)


def can_renew(page: RequirementPage) -> bool:
    return page.can_answer and is_agreement_complete(page)


def build_agreement_context(page: RequirementPage) -> TemplateContext:
    agreement, side = get_agreement(page), get_acting_party(page.integration, page.user)
    integration = page.integration
    text = integration.edition.agreement(page.requirement.agreement)
    names = {"partner": integration.partner.name, "program": integration.program.name}
    return {
        "text": text,
        "paragraphs": text.list_paragraphs(**names, product=integration.program.product) if text else [],
        "agreement": agreement,
        "in_force": agreements.get_agreement_in_force(page.integration.partner, page.requirement.agreement),
        "partner_signature": get_signature(agreement, ResponsibleParty.PARTNER),
        "program_signature": get_signature(agreement, ResponsibleParty.PROGRAM),
        "has_own_signature": get_signature(agreement, side) is not None,
        "side_name": _("the program") if side == ResponsibleParty.PROGRAM else page.integration.partner.name,
        "can_download": permissions.can_download(page.integration.partner, page.user, is_agreement=True),
    }


AGREEMENT_PAGE = RequirementKindPage(
    {
        "sign": RequirementAction(can_sign, SignatureForm, sign_agreement, get_signature_arguments),
        "renew": RequirementAction(can_renew, SignatureForm, renew_agreement, lambda page: {"request": page.request}),
    },
    build_agreement_context,
)
