"""Test of the limit of stored versions during simultaneous uploads on PostgreSQL."""

import threading

import pytest
from django.db import connection, transaction

from integrations.submissions.models import Integration
from portal.core.errors import ActionRefused
from tests.conftest import NOW
from tests.verification.schemas.acme import SOURCE, encode_schema
from verification.schemas import services
from verification.schemas.models import ProviderSchema
from verification.terraform.versions import parse_version

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_simultaneous_uploads_do_not_exceed_the_limit(provider: Integration) -> None:
    refusals: list[ActionRefused] = []

    def store(version: str) -> None:
        services.store_schema(provider, parse_version(version), encode_schema(), actor=None, now=NOW)

    def store_another_version() -> None:
        try:
            store("2.0.0")
        except ActionRefused as refusal:
            refusals.append(refusal)
        finally:
            connection.close()

    fields = {"source": SOURCE, "body": b"", "resources": 0, "data_sources": 0, "submitted_at": NOW}
    versions = (f"0.0.{number}" for number in range(1, services.MAX_VERSIONS))
    ProviderSchema.objects.bulk_create(
        ProviderSchema(integration=provider, version=version, **fields) for version in versions
    )
    other_upload = threading.Thread(target=store_another_version)
    with transaction.atomic():
        store("1.0.0")
        other_upload.start()
        other_upload.join(0.5)  # it waits for the lock, so it counts the uncommitted version too
    other_upload.join(30)
    assert (ProviderSchema.objects.count(), len(refusals)) == (services.MAX_VERSIONS, 1)
