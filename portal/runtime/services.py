"""Processes of the embedded portal, and the modules that they share.

All but the broker and a reloading web server are forks of bin/up: they start immediately and share its memory.
"""

import os
import socket
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module

from celery import beat
from celery.exceptions import CPendingDeprecationWarning
from django.conf import settings
from django.core.management import call_command
from django.utils.autoreload import DJANGO_AUTORELOAD_ENV

from portal.runtime.child_process import Service, describe_error

HOST = "127.0.0.1"
RELOAD_CODE = 3  # exit code of Django's reloader after a file has changed
DEMO_UPDATE_SECONDS = 300
RUN_JOBS_SECONDS = 5
RUN_JOBS_ALONE_SECONDS = 2  # without a broker, only run_jobs executes jobs
WEB_ARGUMENTS = "portal.wsgi -k gthread --threads 4 --no-control-socket --log-level warning"
WORKER_ARGUMENTS = "-q --skip-checks worker -P threads -c 8 -l WARNING --without-gossip --without-mingle"
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
    """Import the modules of the processes before the fork, so that the processes share their memory.

    Celery's import of the tasks runs Django's system checks, so the worker skips them.
    """
    from portal.celery import app  # noqa: PLC0415 - needs Django to be set up, as all below
    from portal.jobs.periodic import load_work  # noqa: PLC0415
    from portal.jobs.registry import JOBS  # noqa: PLC0415

    for name in SHARED_MODULES:
        import_module(name)
    app.loader.import_default_modules()
    for job in JOBS:
        load_work(job)


def build_services(*, has_broker: bool, has_demo: bool, reload: bool) -> list[Service]:
    """Return the processes to run in addition to the broker."""
    services = [build_reloading_web() if reload else Service("web", run_web, is_ready=is_serving, is_essential=True)]
    if has_broker:
        services.append(Service("worker", run_worker))
    services.append(Service("run_jobs", partial(run_jobs, has_broker=has_broker, has_demo=has_demo)))
    return services


def build_reloading_web() -> Service:
    """Return Django's development server. The supervisor replaces the first process of its reloader."""
    command = (sys.executable, "manage.py", "runserver", f"{HOST}:{settings.PORT}")
    environment = {DJANGO_AUTORELOAD_ENV: "true", "DJANGO_RUNSERVER_HIDE_WARNING": "true", "PYTHONUNBUFFERED": "1"}
    return Service("web", command, is_ready=is_serving, environment=environment, reload_code=RELOAD_CODE)


def run_web() -> None:
    """Serve the pages."""
    from gunicorn.app.wsgiapp import run  # noqa: PLC0415

    sys.argv = ["gunicorn", *WEB_ARGUMENTS.split(), "-b", f"{HOST}:{settings.PORT}"]
    run()


def run_worker() -> None:
    """Run the tasks that the broker delivers."""
    # Celery repeats these at each start and reconnection, and both settings are intentional
    warnings.filterwarnings("ignore", message="You're running the worker with superuser")
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
    from portal.celery import app  # noqa: PLC0415

    sys.exit(app.start(WORKER_ARGUMENTS.split()))


def run_jobs(*, has_broker: bool, has_demo: bool) -> None:
    """Run overdue jobs. Threads send periodic jobs to the worker and update the demo data.

    They share this process because each of them waits most of the time.
    """
    if has_broker:
        start_thread("beat", run_beat)
    if has_demo:
        start_thread("demo", run_demo)
    call_command("run_jobs", every=RUN_JOBS_SECONDS if has_broker else RUN_JOBS_ALONE_SECONDS)


def run_beat() -> None:
    """Send each periodic job to the worker when it is due."""
    from portal.celery import app  # noqa: PLC0415

    beat.Service(app, scheduler_cls=app.conf.beat_scheduler).start()


def run_demo() -> None:
    """Update the demo data periodically."""
    from portal.demo.management.commands.load_demo import keep_updating  # noqa: PLC0415

    keep_updating(DEMO_UPDATE_SECONDS, threading.Event())


def start_thread(name: str, function: Callable[[], None]) -> None:
    """Start a thread. If it ends, the process exits, and the supervisor restarts it."""

    def run() -> None:
        try:
            function()
        except Exception as error:
            sys.stderr.write(f"The {name} thread stopped ({describe_error(error)}).\n")
        finally:
            sys.stderr.flush()
            # sys.exit() would end only this thread.
            os._exit(1)

    threading.Thread(target=run, name=name, daemon=True).start()


def is_serving() -> bool:
    """Return whether the port accepts connections."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, settings.PORT)) == 0
