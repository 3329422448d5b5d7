"""Fixtures of the schema tests: a provider with one or two stored schemas, and its viewer."""

from typing import Any

import pytest

from integrations.partners.models import Membership
from integrations.submissions.models import Integration
from tests.conftest import NOW, create_integration, create_user
from tests.verification.schemas.acme import encode_newer_schema, encode_schema
from verification.schemas import services
from verification.terraform.versions import parse_version


@pytest.fixture
def provider(acme: Any, alice: Any) -> Integration:
    return create_integration(
        acme, alice, name="Acme", repository="acme/terraform-provider-acme", repository_id=77, now=NOW
    )


@pytest.fixture
def two(provider: Integration, alice: Any) -> Integration:
    services.store_schema(provider, parse_version("1.9.0"), encode_schema(), actor=alice, now=NOW)
    services.store_schema(provider, parse_version("1.10.0"), encode_newer_schema(), actor=alice, now=NOW)
    return provider


@pytest.fixture
def vera(acme: Any) -> Any:
    """A viewer of the partner."""
    user = create_user("vera@acme.example", "Vera Viewer")
    Membership.objects.create(partner=acme, user=user, role="viewer", joined_at=NOW)
    return user
