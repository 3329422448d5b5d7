"""An edition states its SLA policy: verbs, targets per severity, binding, and time zone."""

import pytest

from integrations.programs.loader import load_edition_file
from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from tests.integrations.programs.guide_edition import Write, find_position, list_problems

SUMMARY = "Partners resolve critical issues within 48 hours, and all others within 5 business days."
RESOLVE = """    resolve:
      critical:
        hours: 48
      other:
        business_days: 5
"""


def test_sla_states_verbs_targets_binding_and_time_zone(write: Write) -> None:
    both = """    zone: Europe/Berlin
    respond:
      other: {business_days: 1}
    resolve:
      critical: {hours: 48, binding: ideal}
      other: {business_days: 5, binding: required}
"""
    assert load_edition_file(write((RESOLVE, both))).edition.sla == Sla(
        SUMMARY,
        respond=SeverityTargets(other=SlaTarget(business_days=1)),
        resolve=SeverityTargets(SlaTarget(hours=48, binding="ideal"), SlaTarget(business_days=5)),
        zone="Europe/Berlin",
    )


def test_sla_without_verbs_has_no_targets(write: Write) -> None:
    sla = load_edition_file(write((RESOLVE, ""))).edition.sla
    assert (sla, list(sla.list_targets())) == (Sla(SUMMARY), [])


@pytest.mark.parametrize(
    ("old", "new", "part", "problem"),
    [
        (
            "        hours: 48",
            "        hours: 48\n        business_days: 2",
            "hours: 48",
            "edition.sla.resolve.critical: A target must have either hours or business days. "
            'Write one of "hours" and "business_days".',
        ),
        (
            "        hours: 48",
            "        binding: ideal",
            "binding",
            "edition.sla.resolve.critical: A target must have either hours or business days. "
            'Write one of "hours" and "business_days".',
        ),
        (
            "        hours: 48",
            "        hours: 48\n        binding: soft",
            "soft",
            "edition.sla.resolve.critical.binding: 'soft' is not an allowed value. Use one of 'required' or 'ideal'.",
        ),
        (
            RESOLVE,
            "    respond: {}\n" + RESOLVE,
            "{}",
            'edition.sla.respond: The verb has no target. Add "critical" or "other", or remove the verb.',
        ),
        (
            RESOLVE,
            "    zone: Los Angeles\n" + RESOLVE,
            "Los Angeles",
            "edition.sla.zone: 'Los Angeles' is not valid here. Write a name of the IANA time zone database, such as "
            "America/Los_Angeles.",
        ),
    ],
)
def test_mistake_in_a_policy_is_reported_at_its_position(
    write: Write, old: str, new: str, part: str, problem: str
) -> None:
    path = write((old, new))
    assert list_problems(path) == [f"{find_position(path.read_text(), part)}: {problem}"]
