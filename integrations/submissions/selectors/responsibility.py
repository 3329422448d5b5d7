"""Names of the parties that integrations wait for, and integrations in blocks by responsible party."""

from collections.abc import Sequence

from django.db.models import Case, F, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.models.blocks import BLOCK, COLLEAGUES, MINE
from integrations.submissions.selectors.deciders import get_deciding_reviewer
from integrations.submissions.workflow.states import ResponsibleParty


def describe_responsible(integration: Integration) -> str:
    """Return the name of whoever must act next; blank if no action is needed."""
    party = integration.responsible_party
    if party == ResponsibleParty.PARTNER:
        return integration.partner.name
    if party == ResponsibleParty.PROGRAM:
        return str(get_deciding_reviewer(integration) or _("the program"))
    if party == ResponsibleParty.THIRD_PARTY:
        return _("others")
    is_checking = integration.is_open and integration.next_action_target.startswith("requirement:")
    return _("the portal") if is_checking else ""


def get_waiting_label(integration: Integration) -> str:
    """Return what readers who can't act see before the next action; blank if no action is needed."""
    if integration.is_pending:
        return _("Decision pending")
    name = describe_responsible(integration)
    return _("Waiting for %(name)s") % {"name": name} if name else ""


def list_by_responsible_party(
    partners: Sequence[Partner | int], editable_partners: Sequence[Partner | int]
) -> QuerySet[Integration]:
    """Return the partners' integrations by responsible party and due date.

    Args:
        partners: The companies of the user.
        editable_partners: The companies for which the user can act.
    """
    is_for_colleagues = Q(block_of_editor=MINE) & ~Q(partner__in=editable_partners)
    block = Case(When(is_for_colleagues, then=Value(COLLEAGUES)), default=F("block_of_editor"))
    rows = Integration.objects.filter(partner__in=partners).annotate(block_of_editor=BLOCK, block=block)
    # an index has the order of the blocks of editors, which is the same unless the user can edit only some
    is_order_of_editor = len(editable_partners) in (0, len(partners))
    due = F("action_due_at").asc(nulls_last=True)
    responsible_since = F("responsible_since").asc(nulls_last=True)
    return rows.order_by("block_of_editor" if is_order_of_editor else "block", due, responsible_since, "-pk")
