"""Fixtures of the audit log."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import Partner
from portal.audit import anchors as audit_anchors
from portal.audit.services import record_event
from tests.portal.audit.tampering import KEYS


@pytest.fixture
def keys(settings: Any) -> None:
    settings.AUDIT_KEYS = dict(KEYS)


@pytest.fixture
def folder(settings: Any) -> Path:
    return Path(settings.AUDIT_ANCHOR_DIR)


@pytest.fixture
def stream(acme: Partner, globex: Partner, time_machine: Any) -> str:
    """Create two streams, one with four events, anchored after the third and the fourth. Stop the clock."""
    time_machine.move_to(timezone.now(), tick=False)  # after midnight, a day without an anchor would be reported
    now = timezone.now() - timedelta(days=1)
    for number in range(3):
        record_event(acme, "partner.profile_changed", actor=None, now=now, note=f"change {number}")
    record_event(globex, "partner.profile_changed", actor=None, now=now)
    assert audit_anchors.write_due_anchor(now) == 1
    record_event(acme, "partner.profile_changed", actor=None, now=now, note="change 3")
    assert audit_anchors.write_due_anchor(timezone.now()) == 1
    return f"partner:{acme.pk}"
