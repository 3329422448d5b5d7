"""Which checks run in the background? Names for one call each."""

from celery import shared_task

from verification import jobs
from verification.rehearsal import jobs as rehearsals
from verification.rehearsal import lifecycle_jobs as lifecycles
from verification.rehearsal import nomad_jobs as plugins


@shared_task
def run_one(pk: int) -> None:
    jobs.run_one(pk)


@shared_task
def rehearse_one(pk: int) -> None:
    rehearsals.run_one(pk)


@shared_task
def rehearse_lifecycle(pk: int) -> None:
    lifecycles.run_one(pk)


@shared_task
def rehearse_nomad(pk: int) -> None:
    plugins.run_one(pk)
