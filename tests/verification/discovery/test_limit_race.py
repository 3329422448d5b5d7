"""Test of the hourly limit of discoveries during simultaneous requests on PostgreSQL."""

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from portal.accounts.models import User
from portal.core.errors import ActionRefused
from verification.discovery import services
from verification.discovery.models import Discovery

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_simultaneous_requests_do_not_exceed_the_hourly_limit(alice: User) -> None:
    refusals: list[ActionRefused] = []

    def start_discovery() -> None:
        services.start_discovery("acme/rocket", actor=alice, now=timezone.now())

    def start_another_one() -> None:
        try:
            start_discovery()
        except ActionRefused as refusal:
            refusals.append(refusal)
        finally:
            connection.close()

    for _ in range(services.MAX_PER_HOUR - 1):
        start_discovery()
    other_request = threading.Thread(target=start_another_one)
    with transaction.atomic():
        start_discovery()
        other_request.start()
        other_request.join(0.5)  # it waits for the lock, so it counts the uncommitted discovery too
    other_request.join(30)
    assert (Discovery.objects.count(), len(refusals)) == (services.MAX_PER_HOUR, 1)
