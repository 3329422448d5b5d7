"""The sweep and beat do the same jobs, from one table."""

import inspect
import threading
from typing import Any

import pytest
from django.utils import timezone

from portal import sweeping, tasks, timetable
from portal.celery import app
from portal.models import Heartbeat
from portal.timetable import JOBS, Job


def test_beat_asks_for_every_job_and_for_nothing_else() -> None:
    asked = [(entry["task"], entry["args"]) for entry in app.conf.beat_schedule.values()]
    assert asked == [(tasks.run_job.name, (job.name,)) for job in JOBS]
    assert len({job.name for job in JOBS}) == len(JOBS)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_job_takes_the_moment_alone(job: Job) -> None:
    needed = [p for p in inspect.signature(sweeping.work_of(job)).parameters.values() if p.default is p.empty]
    assert len(needed) <= 1


@pytest.mark.django_db
def test_the_sweep_does_every_job_and_one_that_fails_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Job("broken", "portal.there_is_no_such_module.work", 10)
    monkeypatch.setattr(sweeping, "JOBS", (broken, *JOBS))
    done = sweeping.sweep(timezone.now())
    assert list(done) == ["broken", *(job.name for job in JOBS)]


@pytest.mark.django_db
def test_a_lane_does_its_own_jobs_and_has_a_heartbeat_of_its_own() -> None:
    assert list(sweeping.sweep(timezone.now(), "mails")) == ["reports", "digests", "mails"]
    assert list(Heartbeat.objects.values_list("process", flat=True)) == ["sweep: mails"]
    sweeping.sweep(timezone.now())
    beats = Heartbeat.objects.filter(process__startswith="sweep").order_by("process").values_list("process", flat=True)
    lanes = ["checks", "mails", "outside", "sandbox", "webhooks"]
    assert list(beats) == ["sweep", *(f"sweep: {lane}" for lane in lanes)]


@pytest.mark.django_db
def test_a_lane_is_swept_until_it_is_stopped() -> None:
    stop, rounds = threading.Event(), []

    def say(done: dict[str, int]) -> None:
        rounds.append(list(done))
        if len(rounds) == 2:
            stop.set()

    sweeping.keep_sweeping("mails", 0, stop, say)
    assert rounds == [["reports", "digests", "mails"]] * 2


@pytest.mark.django_db
def test_the_worker_does_a_job_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setattr(timetable, "did", lambda now: done.append(now) or 1, raising=False)
    monkeypatch.setattr(tasks, "JOBS", (Job("mine", "portal.timetable.did", 10),))
    tasks.run_job("mine")
    tasks.run_job("of an older release")
    assert len(done) == 1
