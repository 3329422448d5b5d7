"""Does /healthz say what is, to a load balancer and to an alarm?"""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from portal.models import Email, Heartbeat


@pytest.fixture
def now(time_machine):
    time_machine.move_to("2026-04-14T09:00:00Z", tick=False)
    return timezone.now()


def mail(due_at):
    return Email.objects.create(key="k", name="n", to="a@b.example", subject="s", due_at=due_at, created_at=due_at)


def said(background, sweep, oldest, stuck=()):
    return {
        "stuck": list(stuck),
        "database": "ok",
        "background": background,
        "last_sweep_seconds_ago": sweep,
        "oldest_due_mail_seconds": oldest,
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("swept", "due", "answer", "alarm"),
    [
        (None, None, said("late", None, None), 503),
        (120, None, said("ok", 120, None), 200),
        (121, None, said("late", 121, None), 503),
        (0, 300, said("ok", 0, 300), 200),
        (0, 301, said("late", 0, 301), 503),
        (0, -60, said("ok", 0, None), 200),
    ],
)
def test_background_is_late_or_not(client, now, swept, due, answer, alarm):
    if swept is not None:
        Heartbeat.objects.create(process="sweep", at=now - timedelta(seconds=swept))
    if due is not None:
        mail(now - timedelta(seconds=due))
    plain, strict = client.get("/healthz"), client.get("/healthz?background")
    assert (plain.status_code, plain.json()) == (200, answer)
    assert (strict.status_code, strict.json()) == (alarm, answer)
    assert "no-store" in plain["Cache-Control"]


@pytest.mark.django_db
@pytest.mark.parametrize(("minutes", "word", "stuck"), [(20, "ok", []), (21, "late", ["sweep: outside"])])
def test_a_lane_that_stands_still_is_named(client, now, minutes, word, stuck):
    Heartbeat.objects.create(process="sweep", at=now)
    Heartbeat.objects.create(process="sweep: outside", at=now - timedelta(minutes=minutes))
    assert client.get("/healthz").json() == said(word, 0, None, stuck)


@pytest.mark.django_db
def test_a_sent_mail_is_not_overdue(client, now):
    Heartbeat.objects.create(process="sweep", at=now)
    Email.objects.filter(pk=mail(now - timedelta(hours=1)).pk).update(state=Email.State.SENT)
    assert client.get("/healthz").json() == said("ok", 0, None)


@pytest.mark.django_db
def test_a_database_that_is_away_is_said(client):
    def away(execute, sql, params, many, context):
        raise OperationalError("the connection is gone")

    with connection.execute_wrapper(away):
        answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"database": "does not answer"})


def test_only_reading_is_answered(client):
    assert client.post("/healthz").status_code == 405
