"""Tests of leases that a process renews while it works."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import InterfaceError, OperationalError

from portal.jobs.definitions import Backoff
from portal.jobs.leases import keep_lease

LEASE = timedelta(seconds=0.04)


def test_lease_is_renewed_until_the_work_ends():
    renewed = Event()
    times = []

    def renew(expires_at):
        times.append(expires_at)
        if len(times) == 3:
            renewed.set()
        return True

    with keep_lease("the work", LEASE, renew):
        assert renewed.wait(30)
    assert times == sorted(times)


def test_lease_that_another_process_holds_is_not_renewed_again():
    lost = Event()
    calls = []

    def renew(expires_at):
        calls.append(expires_at)
        lost.set()
        return False

    with keep_lease("the work", LEASE, renew):
        assert lost.wait(30)
    assert len(calls) == 1


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("connection already closed")])
def test_lease_renewal_survives_a_database_outage(caplog, error):
    renewed = Event()
    answers = [error]

    def renew(expires_at):
        if answers:
            raise answers.pop()
        renewed.set()
        return True

    with keep_lease("the work", LEASE, renew):
        assert renewed.wait(30)
    assert caplog.messages == ["The lease of the work could not be renewed."]


def test_backoff_delays_vary_by_the_jitter():
    backoff = Backoff(first=timedelta(seconds=10), factor=2, maximum=timedelta(seconds=40), jitter=0.5)
    waits = {backoff.get_delay(2).total_seconds() for _ in range(50)}
    assert len(waits) > 1
    assert 20 <= min(waits) <= max(waits) < 30
