"""Processes of the embedded portal, and the modules that they share.

All but the broker and a reloading web server are forks of bin/up: they are there at once and share its memory.
"""

import socket
import sys
import warnings
from importlib import import_module

from celery.exceptions import CPendingDeprecationWarning
from django.conf import settings
from django.core.management import call_command
from django.utils.autoreload import DJANGO_AUTORELOAD_ENV

from portal.runtime.child_process import Service

HOST = "127.0.0.1"
RELOAD_CODE = 3  # of Django's reloader: a file has changed
DEMO_SECONDS = 300
RUN_JOBS_SECONDS = 5
RUN_JOBS_ALONE_SECONDS = 2  # without a broker run_jobs is all there is
WEB = "portal.wsgi -k gthread --threads 4 --no-control-socket --log-level warning"
WORKER = "-q worker -P threads -c 8 -l WARNING --without-gossip --without-mingle"
BEAT = "-q beat -l WARNING --pidfile="
SHARED_MODULES = (
    "portal.wsgi",
    "celery.apps.worker",
    "celery.beat",
    "celery.bin.celery",
    "celery.concurrency.thread",
    "celery.worker.components",
    "celery.worker.consumer",
    "gunicorn.app.wsgiapp",
    "gunicorn.workers.gthread",
    "kombu.transport.redis",
    "portal.jobs.beat",
    "portal.demo.sla",
    "portal.demo.management.commands.load_demo",
    "portal.jobs.management.commands.run_jobs",
)


def load_shared_modules() -> None:
    """Load what the processes use, so that they share its memory and none of them loads it again."""
    from portal.celery import app  # noqa: PLC0415 - needs Django to be set up, as all below
    from portal.jobs.periodic import load_work  # noqa: PLC0415
    from portal.jobs.registry import JOBS  # noqa: PLC0415

    for name in SHARED_MODULES:
        import_module(name)
    app.loader.import_default_modules()
    for job in JOBS:
        load_work(job)


def build_services(*, has_broker: bool, has_demo: bool, reload: bool) -> list[Service]:
    """Return the processes to run beside the broker."""
    services = [build_reloading_web() if reload else Service("web", run_web, is_ready=is_serving, is_essential=True)]
    if has_broker:
        # beat never runs inside the worker: it would share the worker's SQLite connection
        services += [Service("worker", run_worker), Service("beat", run_beat)]
    services.append(Service("run_jobs", run_jobs if has_broker else run_jobs_alone))
    if has_demo:
        services.append(Service("demo", run_demo))
    return services


def build_reloading_web() -> Service:
    """Return Django's development server; the supervisor takes the place of its reloader's first process."""
    command = (sys.executable, "manage.py", "runserver", f"{HOST}:{settings.PORT}")
    environment = {DJANGO_AUTORELOAD_ENV: "true", "DJANGO_RUNSERVER_HIDE_WARNING": "true", "PYTHONUNBUFFERED": "1"}
    return Service("web", command, is_ready=is_serving, environment=environment, reload_code=RELOAD_CODE)


def run_web() -> None:
    """Serve the pages."""
    from gunicorn.app.wsgiapp import run  # noqa: PLC0415

    sys.argv = ["gunicorn", *WEB.split(), "-b", f"{HOST}:{settings.PORT}"]
    run()


def run_worker() -> None:
    """Run the tasks that the broker delivers."""
    # Celery repeats these at every start and at every lost connection; they are about choices that are made
    warnings.filterwarnings("ignore", message="You're running the worker with superuser")
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
    _run_celery(WORKER)


def run_beat() -> None:
    """Ask for each periodic job when it is time."""
    _run_celery(BEAT)


def run_jobs() -> None:
    """Run what is overdue."""
    call_command("run_jobs", every=RUN_JOBS_SECONDS)


def run_jobs_alone() -> None:
    """Run every periodic job, as there is no broker."""
    call_command("run_jobs", every=RUN_JOBS_ALONE_SECONDS)


def run_demo() -> None:
    """Let time pass in the demo world."""
    call_command("load_demo", keep=DEMO_SECONDS)


def is_serving() -> bool:
    """Return whether the port takes connections."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, settings.PORT)) == 0


def _run_celery(arguments: str) -> None:
    from portal.celery import app  # noqa: PLC0415

    sys.exit(app.start(arguments.split()))
