"""Integrations of a user's partners in blocks by responsible party."""

from collections.abc import Sequence

from django.db.models import Case, F, Q, QuerySet, Value, When

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.models.blocks import BLOCK, COLLEAGUES, MINE


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
    due, responsible_since = F("action_due_at").asc(nulls_last=True), F("responsible_since").asc(nulls_last=True)
    return rows.order_by("block_of_editor" if is_order_of_editor else "block", due, responsible_since, "-pk")
