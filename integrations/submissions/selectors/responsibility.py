"""Integrations of a user's partners in blocks by responsible party."""

from collections.abc import Sequence

from django.db.models import Case, F, Q, QuerySet, Value, When

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import FINAL_STAGES, ResponsibleParty, Stage

MINE, COLLEAGUES, OTHERS, SUPPORTED, ENDED = range(5)


def list_by_responsible_party(
    partners: Sequence[Partner | int], editable_partners: Sequence[Partner | int]
) -> QuerySet[Integration]:
    """Return the partners' integrations by responsible party and due date.

    Args:
        partners: The companies of the user.
        editable_partners: The companies for which the user can act.
    """
    is_open = ~Q(stage__in=[str(stage) for stage in FINAL_STAGES])
    waits_for_program = Q(responsible_party__in=[str(ResponsibleParty.PROGRAM), str(ResponsibleParty.THIRD_PARTY)])
    # in support, the portal only monitors
    waits_for_portal = Q(responsible_party=str(ResponsibleParty.MACHINE)) & ~Q(stage=str(Stage.SUPPORT))
    waits_for_partner = is_open & Q(responsible_party=str(ResponsibleParty.PARTNER))
    block = Case(
        When(waits_for_partner & Q(partner__in=editable_partners), then=Value(MINE)),
        When(waits_for_partner, then=Value(COLLEAGUES)),
        When(is_open & (waits_for_program | waits_for_portal), then=Value(OTHERS)),
        When(is_open, then=Value(SUPPORTED)),
        default=Value(ENDED),
    )
    rows = Integration.objects.filter(partner__in=partners).select_related("partner", "reviewer").annotate(block=block)
    due, responsible_since = F("action_due_at").asc(nulls_last=True), F("responsible_since").asc(nulls_last=True)
    return rows.order_by("block", due, responsible_since, "-pk")
