"""Services for accepted deviations: a new owner or key that a reviewer accepts permanently.

A waiver exempts a requirement for a while; an accepted deviation makes the new value the expected one.
"""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.services.changes import change_integration
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from verification.checks.models import CheckResult
from verification.checks.services import observations, runs
from verification.checks.types import ACCEPTED_KEY_PREFIX, CHECKS


def get_acceptable_value(result: CheckResult | None) -> tuple[str, str]:
    """Return what a reviewer can accept in a result as (kind, value): ("new owner", "9"), blank if nothing."""
    check = CHECKS.get(result.key) if result is not None else None
    if result is None or check is None or not check.accepts:
        return "", ""
    return next(((thing, value) for thing, value in result.inspected_revisions if thing == check.accepts), ("", ""))


@transaction.atomic
def accept_deviation(integration: Integration, key: str, value: str, actor: User, now: datetime) -> None:
    """Accept the deviation and run the checks again. Raises ActionRefused."""
    with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
        change.require_open()
        locked_integration = change.integration
        result = CheckResult.objects.filter(integration=locked_integration, key=key).conclusive().first()
        thing, current_value = get_acceptable_value(result)
        # The page can be older than the last run, and only what the reviewer has seen may be accepted.
        if not current_value or current_value != value:
            message = _("The deviation has changed. Reload the page and check it again.")
            raise ActionRefused(message, "invalid-transition")
        observations.store_observation(locked_integration, key, {f"{ACCEPTED_KEY_PREFIX}{key}": value}, now)
        change.record("check.accepted", check=key, title=CHECKS[key].title, thing=thing, value=value)
    # Another check or a person may have put it on hold, which this decision doesn't settle.
    if locked_integration.hold_check == key:
        perform_transition(locked_integration, "resume", actor=actor, note=f"The {thing} was accepted.", now=now)
    # All readers see the reason, so it doesn't depend on the reviewer's language.
    with translation.override(settings.LANGUAGE_CODE):
        reason = _("Accepted %(thing)s") % {"thing": _(thing)}
    runs.request_check_run(integration, actor, now, reason)
