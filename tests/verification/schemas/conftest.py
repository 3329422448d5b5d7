from typing import Any

import pytest

from integrations.submissions.models import Integration
from tests.conftest import NOW, begin
from tests.verification.schemas.acme import encode_schema, newer
from verification.schemas import services
from verification.terraform.versions import parse_version


@pytest.fixture
def provider(acme: Any, alice: Any) -> Integration:
    return begin(acme, alice, name="Acme", repository="acme/terraform-provider-acme", repository_id=77, now=NOW)


@pytest.fixture
def two(provider: Integration, alice: Any) -> Integration:
    services.store_schema(provider, parse_version("1.9.0"), encode_schema(), actor=alice, now=NOW)
    services.store_schema(provider, parse_version("1.10.0"), newer(), actor=alice, now=NOW)
    return provider
