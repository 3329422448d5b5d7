"""How do both sides sign an agreement on the page?"""

from typing import Any

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.agreements import Sign
from integrations.submissions.models import Agreement
from integrations.submissions.services import agreements
from integrations.submissions.services.agreements import Signature, signature_of
from integrations.submissions.services.requirements import OTHER, side_of
from integrations.submissions.views.requirements.answers import NOT_NEEDED
from integrations.submissions.views.requirements.page import Act, KindPage, Page
from integrations.submissions.workflow.states import Holder


def agreement_of(page: Page) -> Agreement | None:
    return agreements.latest(page.integration.partner, page.requirement.agreement)


def renew_form(page: Page, **given: Any) -> Sign:
    """A new version of what both sides have signed: nothing of it is known yet."""
    return Sign(request=page.request, **given)


def sign_form(page: Page, **given: Any) -> Sign:
    """What this person's side has recorded; the version is fixed once the other side has signed it."""
    agreement, side = agreement_of(page), side_of(page.integration, page.user)
    mine = signature_of(agreement, side)
    fixed = agreement.version if agreement and signature_of(agreement, OTHER[side]) else ""
    initial: dict[str, Any] = {"version": agreement.version if agreement else ""}
    if mine is not None:
        initial |= {"signer": mine.signer, "signed_on": mine.signed_on}
    return Sign(request=page.request, version=fixed, initial=initial, **given)


def sign(page: Page, form: Sign, *, renews: bool = False) -> str:
    given = form.cleaned_data
    signed = agreements.sign(
        page.integration, page.requirement.id, Signature(given["signer"], given["signed_on"]),
        version=given.get("version", ""), file=given["file"], by=page.user, now=page.now,
        renews=renews,
    )  # fmt: skip
    if signed.is_complete:
        return _("Version %(version)s is signed by both sides.") % {"version": signed.version}
    return _("Version %(version)s is recorded. The other side signs next.") % {"version": signed.version}


def renew(page: Page, form: Sign) -> str:
    return sign(page, form, renews=True)


def is_complete(page: Page) -> bool:
    agreement = agreement_of(page)
    return agreement is not None and agreement.is_complete


def may_sign(page: Page) -> bool:
    return page.can_answer and not is_complete(page)


def may_renew(page: Page) -> bool:
    return page.can_answer and is_complete(page)


def context(page: Page) -> dict[str, Any]:
    agreement, side = agreement_of(page), side_of(page.integration, page.user)
    return {
        "agreement": agreement,
        "in_force": agreements.in_force(page.integration.partner, page.requirement.agreement),
        "partner_signature": signature_of(agreement, Holder.PARTNER),
        "program_signature": signature_of(agreement, Holder.PROGRAM),
        "signed_mine": signature_of(agreement, side) is not None,
        "for_side": _("the program") if side == Holder.PROGRAM else page.integration.partner.name,
        "may_read": permissions.may_download(page.integration.partner, page.user, is_agreement=True),
    }


AGREEMENT = KindPage(
    {
        "sign": Act(may_sign, sign_form, sign),
        "renew": Act(may_renew, renew_form, renew),
        "not_needed": NOT_NEEDED,
    },
    context,
)
