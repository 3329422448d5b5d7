"""Tests of the text of an SLA target."""

import pytest

from integrations.programs.sla_policy import SlaTarget
from integrations.sla.clock_usage import format_target


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (None, ""),
        (SlaTarget(), ""),
        (SlaTarget(hours=48), "48 h"),
        (SlaTarget(business_days=1), "1 business day"),
        (SlaTarget(business_days=5), "5 business days"),
    ],
)
def test_target_is_formatted_with_its_unit(target: SlaTarget | None, text: str) -> None:
    assert format_target(target) == text
