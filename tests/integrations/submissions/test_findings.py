"""Tests of findings: automatic ones that are reopened, and optional ones after the end."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from tests.conftest import advance_to_stage, fulfill_requirements

pytestmark = pytest.mark.any_database

REQUIREMENT = "NO-3"


def test_automatic_finding_is_not_reopened_while_a_newer_one_is_open(
    integration_at: Callable[..., Integration], rita: Any, now: datetime
) -> None:
    row = integration_at("support")
    first = findings.open_automatic_finding(row, REQUIREMENT, "It no longer builds.", now=now)
    findings.resolve_automatic_finding(row, REQUIREMENT, now=now)
    findings.open_automatic_finding(row, REQUIREMENT, "It no longer builds.", now=now)
    assert first is not None
    with pytest.raises(ActionRefused) as refusal:
        findings.reopen_finding(first, actor=rita, now=now)
    assert (str(refusal.value), refusal.value.kind) == ("Finding 2 already covers this requirement.", "conflict")


@pytest.mark.parametrize("end", ["archive", "withdraw"])
def test_optional_finding_stays_visible_after_the_end(
    integration_at: Callable[..., Integration], alice: Any, rita: Any, now: datetime, end: str
) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    optional = findings.raise_finding(
        row, REQUIREMENT, "Consider an example.", actor=rita, now=now, severity=Finding.Severity.OPTIONAL
    )
    perform_transition(row, "approve", actor=rita, now=now)
    later = now + timedelta(hours=1)
    if end == "archive":
        row = advance_to_stage(row, "support", partner=alice, reviewer=rita, now=later)
    perform_transition(row, end, actor=alice, note="Replaced.", now=later + timedelta(hours=1))
    finding = Finding.objects.get(pk=optional.pk)
    assert (finding.is_visible_to_partner, finding.is_editable) == (True, False)
