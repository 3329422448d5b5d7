"""Labels of a program's SLA policy."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.programs.sla_policy import Sla, SlaTarget, TargetType

TARGET_LABELS = {
    TargetType.RESPOND: gettext_noop("First response within %(time)s"),
    TargetType.RESOLVE: gettext_noop("Resolution within %(time)s"),
}
SEVERITY_LABELS = {"critical": gettext_noop("Critical issues"), "other": gettext_noop("Other issues")}


def format_target(target: SlaTarget) -> str:
    """Return "48 hours" or "5 business days (ideally)"; blank without a time."""
    if target.hours:
        amount = ngettext("%(count)s hour", "%(count)s hours", target.hours) % {"count": target.hours}
    else:
        days = target.business_days or 0
        amount = ngettext("%(count)s business day", "%(count)s business days", days) % {"count": days}
    return _("%(amount)s (ideally)") % {"amount": amount} if target.is_ideal else amount


def list_sla_rows(sla: Sla) -> list[tuple[str, str]]:
    """Return the SLA targets as (kind of issue, target), empty for a program without targets."""
    return [
        (_(SEVERITY_LABELS[severity]), _(TARGET_LABELS[target_type]) % {"time": format_target(target)})
        for target_type, severity, target in sla.list_targets()
    ]
