"""Open disputes as items of the review queue."""

from datetime import datetime

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat, Lower
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.reviews.selectors.queue_kinds import Filters, QueueKind, filter_decidable, register_kind
from integrations.sla.models import SupportIssue
from portal.accounts.models import User
from portal.core.value_types import NamedValues

NUMBER = Cast("number", CharField())


def _list_disputes(filters: Filters, user: User, _now: datetime) -> QuerySet[SupportIssue]:
    return filter_decidable(SupportIssue.objects.filter(disputed_at__isnull=False), filters, user)


def _list_tasks(values: NamedValues) -> list[str]:
    if values["next_action_code"] == SupportIssue.DisputeSubject.SEVERITY:
        return [_("Decide on the severity")]
    return [_("Decide on the disputed breach")]


register_kind(
    QueueKind(
        "dispute",
        gettext_noop("Dispute"),
        _list_disputes,
        {
            "uuid": F("uuid"),
            "name": F("title"),
            "name_key": Lower("title"),
            "detail": Concat("watch__repository", Value("#"), NUMBER, output_field=CharField()),
            "partner_id": F("integration__partner_id"),
            "company": F("integration__partner__name"),
            "company_state": F("integration__partner__verification_state"),
            "program_key": F("integration__program_key"),
            "step": F("integration__step"),
            "next_action_code": F("disputed"),
            "began_at": F("disputed_at"),
        },
        "sla:issue",
        list_tasks=_list_tasks,
    )
)
