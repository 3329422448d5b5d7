"""Fixtures of stub checks and of the integrations that they check."""

from collections.abc import Callable
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.conftest import NOW, create_integration
from tests.replay import build_or_replay
from tests.verification.checks.check_runs import HOUR
from tests.verification.checks.stubs import Stubs
from verification.checks.services.runner import run_integration_checks
from verification.checks.types import CHECKS


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> Stubs:
    stubs = Stubs()
    for key in list(CHECKS):
        monkeypatch.setitem(CHECKS, key, stubs.build_check(key))
    return stubs


@pytest.fixture
def provider(acme: Partner, alice: User) -> Integration:
    return create_integration(acme, alice, "terraform-provider")


@pytest.fixture
def listed_provider(integration_at: Callable[..., Integration], stubs: Stubs) -> Integration:
    """Return Acme's listed provider, whose checks have all passed once."""
    row = integration_at("support", program="terraform-provider")
    no_sources: Any = object()
    build_or_replay(("checks", row.pk), lambda: run_integration_checks(row, now=NOW + HOUR, sources=no_sources))
    return Integration.objects.get(pk=row.pk)
