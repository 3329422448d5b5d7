"""Tests of conditional requests at the same time on PostgreSQL."""

from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from integrations.submissions.models import RequirementFulfillment
from tests.concurrency import run_concurrently
from tests.conftest import create_integration
from tests.portal.api.client import V1, ApiClient, create_api_client

ROUNDS = 4

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def upload(api: ApiClient, place: str, etag: str) -> int:
    """Upload a file that is different each time, because an equal one changes nothing."""
    fields = {"file": SimpleUploadedFile("a.txt", uuid4().bytes.hex().encode())}
    headers = api.headers({"If-Match": etag})
    status: int = api.client.post(f"{V1}{place}/upload", fields, headers=headers).status_code
    return status


def test_one_of_two_requests_with_the_same_etag_is_refused(acme: Any, alice: Any) -> None:
    row = create_integration(acme, alice, "nomad")
    place = f"/integrations/{row.uuid}/requirements/NO-7-LOGS"
    for _ in range(ROUNDS):
        clients = [create_api_client(alice) for _ in range(2)]
        etag = clients[0].get(place)["ETag"]
        statuses = run_concurrently(*(partial(upload, api, place, etag) for api in clients))
        assert sorted(statuses, key=str) == [200, 412]
    assert RequirementFulfillment.objects.get(integration=row, requirement_id="NO-7-LOGS").version == ROUNDS
