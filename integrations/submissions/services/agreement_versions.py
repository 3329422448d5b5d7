"""New versions of agreements: the requirement of companies that signed an older version is open again."""

from datetime import datetime
from functools import partial

from django.db.models import QuerySet

from integrations.programs.registry import AGREEMENTS, get_agreement_document, list_agreement_requirement_ids
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services.requirements import change_requirement
from integrations.submissions.workflow.states import Status
from portal.jobs.batches import process_each

SIGNED_STATUSES = (Status.SUBMITTED, Status.AWAITING_OTHER_PARTY)


def request_new_versions(now: datetime) -> int:
    """Open the requirements that were fulfilled with an older version. Return the number of notified companies."""
    pks = [pk for kind in AGREEMENTS for pk in _list_outdated(kind).values_list("pk", flat=True)]
    return process_each(pks, partial(_reopen, now=now), "reopen requirement fulfillment")


def _list_outdated(kind: str) -> QuerySet[RequirementFulfillment]:
    """Return the signed requirements of an agreement with another version than the current one, newest first."""
    ids = list_agreement_requirement_ids(kind)
    states = RequirementFulfillment.objects.filter(requirement_id__in=ids, status__in=SIGNED_STATUSES)
    states = states.exclude(data__version=get_agreement_document(kind).version)
    # The first change opens the requirement in all integrations of the company, so the email names the newest one.
    return states.filter(integration__in=Integration.objects.open()).order_by("-integration__created_at", "-pk")


def _reopen(pk: int, now: datetime) -> bool:
    """Open a requirement for all integrations of the company, unless that already happened."""
    state = RequirementFulfillment.objects.select_related("integration").get(pk=pk)
    with change_requirement(state.integration, state.requirement_id, actor=None, now=now) as change:
        version = get_agreement_document(change.requirement.agreement).version
        state = change.state
        previous_version = state.data.get("version", "")
        # Under the lock: an integration of the same company may have opened the shared requirement before.
        if state.status not in SIGNED_STATUSES or previous_version == version:
            return False
        change.answer(
            "agreement.replaced",
            {"replaces": previous_version},
            status=Status.OPEN,
            summary=f"Version {version} replaces version {previous_version}. Both sides must sign it.",
            version=version,
            replaces=previous_version,
        )
    return True
