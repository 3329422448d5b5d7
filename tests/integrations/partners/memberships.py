"""Helpers for tests of memberships."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from integrations.partners.models import Membership, Partner
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.core.errors import ActionRefused


def list_partner_events(partner: Partner) -> list[tuple[str, str]]:
    """Return the type and actor of each event of a company."""
    assert list(find_chain_faults(AuditEvent.objects.order_by("stream", "seq"))) == []
    return list(partner.events.order_by("seq").values_list("event_type", "actor"))


def get_membership(partner: Partner, user: Any) -> Membership:
    return Membership.objects.get(partner=partner, user=user, ended_at=None)


def get_refusal(call: Callable[..., Any], *args: Any, **fields: Any) -> str:
    with pytest.raises(ActionRefused) as error:
        call(*args, **fields)
    return str(error.value)


def join(partner: Partner, user: Any, role: str, now: datetime, ended_at: datetime | None = None) -> Membership:
    """Add a member, or a former member if `ended_at` is given."""
    return Membership.objects.create(partner=partner, user=user, role=role, joined_at=now, ended_at=ended_at)
