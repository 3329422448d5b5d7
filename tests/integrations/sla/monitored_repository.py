"""Helpers for a monitored repository, with its webhook secret and the people of its tracker."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.test import Client

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla.github import webhook_intake
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.sla.services import monitoring
from integrations.submissions.models import Integration
from portal.core import crypto
from tests.fakes.github.tracker import Person, Tracker, WebhookDelivery

SECRET = "s3cret-of-the-hook"
OPENED_AT = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)  # a Tuesday
REPORTER = Person(501, "uma")
PARTNER = Person(601, "alice-at-acme", "MEMBER")
COLLABORATOR = Person(602, "bob-at-acme", "COLLABORATOR")
OUTSIDER = Person(701, "pete")
STALE_BOT = Person(801, "stale[bot]", "NONE", "Bot")


def create_listed_integration(
    partner: Partner, name: str = "Rocket", program: str = "nomad", **facts: Any
) -> Integration:
    """Create a listed integration in the newest edition of a program, without its earlier steps."""
    edition = PROGRAMS[program].editions[-1]
    step, stage = edition.positions[-1]
    fields = {
        "name": name,
        "repository": "acme/nomad-rocket",
        "repository_id": 4711,
        "listing_status": "listed",
    } | facts
    return Integration.objects.create(
        partner=partner,
        program_key=program,
        edition_date=edition.date,
        stage=stage,
        step=step.key,
        responsible_party="partner",
        created_at=OPENED_AT,
        released_at=OPENED_AT,
        **fields,
    )


def monitor_repository(
    integration: Integration, now: datetime = OPENED_AT, secret: str = SECRET
) -> MonitoredRepository:
    """Monitor the repository of an integration in support, with a known webhook secret."""
    monitored_repository = monitoring.start_monitoring(integration, now)
    assert monitored_repository
    monitored_repository.began_at = monitored_repository.data_up_to = now  # the release is as old as the first issue
    monitored_repository.encrypt("secret", crypto.Secret(secret))
    monitored_repository.save()
    webhook_intake.clear_cached_repository(monitored_repository.uuid)
    return monitored_repository


def build_tracker(monitored_repository: MonitoredRepository) -> Tracker:
    assert monitored_repository.repository_id
    return Tracker(monitored_repository.repository, monitored_repository.repository_id)


@contextmanager
def disable_delete_guard() -> Iterator[None]:
    """Allow the deletion of issue events, which a trigger of PostgreSQL prevents."""
    if connection.vendor != "postgresql":
        yield
        return
    alter = "SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE sla_supportissueevent {} TRIGGER USER"
    with connection.cursor() as cursor:
        cursor.execute(alter.format("DISABLE"))
        yield
        cursor.execute(alter.format("ENABLE"))
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def post_delivery(
    monitored_repository: MonitoredRepository, delivery: WebhookDelivery, secret: str = SECRET, **headers: Any
) -> int:
    """Deliver to the portal as GitHub does. Return the status code."""
    headers_sent = delivery.build_headers(secret) | headers
    response = Client().post(
        f"/inbound/github/{monitored_repository.uuid}/", delivery.body, "application/json", headers=headers_sent
    )
    return response.status_code


def deliver(monitored_repository: MonitoredRepository, deliveries: list[WebhookDelivery]) -> None:
    """Store deliveries in this order, as the intake does."""
    for each in deliveries:
        row = {"event": each.event, "digest": str(hash(each.body)), "body": each.body, "received_at": OPENED_AT}
        GitHubDelivery.objects.get_or_create(
            monitored_repository=monitored_repository, delivery_id=each.id, defaults=row
        )


def list_delivery_ids(monitored_repository: MonitoredRepository) -> list[str]:
    return list(
        GitHubDelivery.objects.filter(monitored_repository=monitored_repository)
        .order_by("pk")
        .values_list("delivery_id", flat=True)
    )
