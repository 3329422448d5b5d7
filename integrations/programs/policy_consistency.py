"""Consistency rules of an edition's SLA policy that types can't express."""

from collections.abc import Iterator

from integrations.programs.consistency import Inconsistency
from integrations.programs.schema import Edition
from integrations.programs.sla_policy import Sla, TargetType


def find_policy_errors(edition: Edition) -> Iterator[Inconsistency]:
    """Yield every violation in the policies of an edition."""
    yield from _find_target_errors(edition.sla)


def _find_target_errors(sla: Sla) -> Iterator[Inconsistency]:
    """Yield violations of the rules that a verb has a target and that a target has one time."""
    targets = list(sla.list_targets())
    for verb in TargetType:
        if getattr(sla, verb) is not None and all(target_type != verb for target_type, _severity, _target in targets):
            fix = 'Add "critical" or "other", or remove the verb.'
            yield Inconsistency(("edition", "sla", str(verb)), "The verb has no target.", fix)
    for target_type, severity, target in targets:
        if (target.hours is None) == (target.business_days is None):
            problem = "A target must have either hours or business days."
            location = ("edition", "sla", str(target_type), severity)
            yield Inconsistency(location, problem, 'Write one of "hours" and "business_days".')
