"""Open disputes and proposed label policies as items of the review queue."""

from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat, Lower
from django.utils.translation import gettext as _, gettext_noop

from integrations.reviews.selectors.queue_kinds import QueueKind, build_integration_columns, register_kind
from integrations.sla.models import LabelPolicy, SupportIssue
from integrations.submissions.workflow.states import FINAL_STAGES
from portal.core.value_types import NamedValues

# The kinds of the queue form one union, so a column has the same type in all of them (decision 0078).
NUMBER = Cast("number", CharField())


def _list_tasks(values: NamedValues) -> list[str]:
    if values["next_action_code"] == SupportIssue.DisputeSubject.SEVERITY:
        return [_("Decide on the severity")]
    return [_("Decide on the disputed breach")]


register_kind(
    QueueKind(
        "dispute",
        gettext_noop("Dispute"),
        SupportIssue.objects.filter(disputed_at__isnull=False),
        {
            **build_integration_columns(),
            "uuid": F("uuid"),
            "name": F("title"),
            "name_key": Lower("title"),
            "detail": Concat("monitored_repository__repository", Value("#"), NUMBER, output_field=CharField()),
            "next_action_code": F("disputed"),
            "waiting_since": F("disputed_at"),
        },
        "sla:dispute",
        list_tasks=_list_tasks,
    )
)
register_kind(
    QueueKind(
        "label_policy",
        gettext_noop("Label policy"),
        # Nothing closes a proposal when its integration ends.
        LabelPolicy.objects.filter(state=LabelPolicy.State.PROPOSED).exclude(integration__stage__in=FINAL_STAGES),
        {**build_integration_columns("uuid", "name", "name_key"), "waiting_since": F("proposed_at")},
        "sla:label_policy",
        list_tasks=lambda _values: [_("Decide on the proposed label policy")],
    )
)
