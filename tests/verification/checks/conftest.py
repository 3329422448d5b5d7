"""Fixtures of stub checks and of the integrations that they check."""

import pytest

from integrations.submissions.models import Integration
from tests.conftest import NOW, create_integration
from tests.verification.checks.check_runs import HOUR
from tests.verification.checks.stubs import Stubs
from verification.checks.runner import run_integration_checks
from verification.checks.types import CHECKS


@pytest.fixture
def stubs(monkeypatch):
    stubs = Stubs()
    for key in list(CHECKS):
        monkeypatch.setitem(CHECKS, key, stubs.build_check(key))
    return stubs


@pytest.fixture
def provider(acme, alice):
    return create_integration(acme, alice, "terraform-provider")


@pytest.fixture
def listed_provider(integration_at, stubs):
    """Return Acme's listed provider, whose checks have all passed once."""
    row = integration_at("support", program="terraform-provider")
    run_integration_checks(row, now=NOW + HOUR, sources=object())
    return Integration.objects.get(pk=row.pk)
