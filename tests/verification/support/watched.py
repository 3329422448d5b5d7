"""Which repository is watched in these tests? Acme's, with a hook whose secret is known, and its tracker's people."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.test import Client

from integrations import vault
from integrations.models import Integration, Partner
from integrations.programs import PROGRAMS
from tests.fakes.github.tracker import Hooked, Person, Tracker
from verification.models import Watch
from verification.support import intake, watching

SECRET = "s3cret-of-the-hook"
OPENED = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)  # a Tuesday
REPORTER = Person(501, "uma")
PARTNER = Person(601, "alice-at-acme", "MEMBER")
HELPER = Person(602, "bob-at-acme", "COLLABORATOR")
PASSER_BY = Person(701, "pete")
STALE = Person(801, "stale[bot]", "NONE", "Bot")


def supported(partner: Partner, name: str = "Rocket", **facts: Any) -> Integration:
    """A listed integration in the Nomad program, set where others are driven: these tests begin there."""
    edition = PROGRAMS["nomad"].newest
    step, stage = edition.positions()[-1]
    fields = {"name": name, "repository": "acme/nomad-rocket", "repository_id": 4711, "standing": "verified"} | facts
    return Integration.objects.create(
        partner=partner, program_key="nomad", edition_date=edition.date, stage=stage, step=step.key,
        turn_holder="partner", created_at=OPENED, released_at=OPENED, **fields,
    )  # fmt: skip


def watch_over(integration: Integration, now: datetime = OPENED, secret: str = SECRET) -> Watch:
    """The watch of an integration in support, with a hook secret that the test knows."""
    watch = watching.begin(integration, now)
    assert watch
    watch.began_at = watch.data_up_to = now  # the release is as old as the story that the test tells
    watch.secret = vault.seal(vault.Secret(secret), watching.context(watch))
    watch.save()
    intake.forget(watch.uuid)
    return watch


def tracker_of(watch: Watch) -> Tracker:
    assert watch.repository_id
    return Tracker(watch.repository, watch.repository_id)


@contextmanager
def unguarded() -> Iterator[None]:
    """Here what was told of issues may be deleted: PostgreSQL's guard is off, SQLite has none."""
    if connection.vendor != "postgresql":
        yield
        return
    alter = "SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE verification_issueevent {} TRIGGER USER"
    with connection.cursor() as cursor:
        cursor.execute(alter.format("DISABLE"))
        yield
        cursor.execute(alter.format("ENABLE"))
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def post(watch: Watch, hooked: Hooked, secret: str = SECRET, **headers: Any) -> int:
    """Deliver to the portal as GitHub does. Returns the status."""
    sent = hooked.headers(secret) | headers
    answer = Client().post(f"/hooks/github/{watch.uuid}/", hooked.body, "application/json", headers=sent)
    return answer.status_code
