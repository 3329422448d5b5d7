"""Emails sent per second through the job queue, compared with the simplest loop that sends them safely.

The baseline is one loop on the same data: claim a row, commit, send, mark it as sent, commit. Both use the same mail
server on loopback, the same messages, and durable commits, and take turns.
"""

import os
import socket
import time
from collections.abc import Callable
from datetime import timedelta
from statistics import median

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from aiosmtpd.controller import Controller  # noqa: E402
from aiosmtpd.handlers import Sink  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from portal.jobs.execution import run_due_jobs  # noqa: E402
from portal.jobs.models import Job  # noqa: E402
from portal.notifications.delivery import deliver  # noqa: E402
from portal.notifications.models import EmailMessage  # noqa: E402
from portal.notifications.tasks import enqueue_email  # noqa: E402

COUNT = 200
ROUNDS = 7
TARGET_RATIO = 1.6
State = EmailMessage.State


def create_emails() -> list[EmailMessage]:
    """Store emails that are due now."""
    EmailMessage.objects.all().delete()
    now = timezone.now()
    return EmailMessage.objects.bulk_create(
        EmailMessage(
            key=f"bench:{number}",
            name="message",
            to=f"reader{number}@bench.example",
            subject="Hello",
            text="Hello.",
            html="<p>Hello.</p>",
            created_at=now,
            state=State.QUEUED,
        )
        for number in range(COUNT)
    )


def send_in_loop() -> None:
    """Send every email in a loop with one claim and one update each."""
    while True:
        with transaction.atomic():
            queued = EmailMessage.objects.select_for_update(skip_locked=True).filter(state=State.QUEUED)
            email_message = queued.order_by("pk").first()
            if email_message is None:
                return
            EmailMessage.objects.filter(pk=email_message.pk).update(held_until=timezone.now() + timedelta(minutes=1))
        deliver(email_message)
        EmailMessage.objects.filter(pk=email_message.pk).update(state=State.SENT, sent_at=timezone.now())


def send_as_jobs() -> None:
    """Send every email as a job."""
    run_due_jobs("email", timezone.now(), seconds=3600)


def measure(send: Callable[[], None], *, has_jobs: bool) -> float:
    """Return emails per second of one round."""
    emails = create_emails()
    Job.objects.all().delete()
    if has_jobs:
        for email_message in emails:
            enqueue_email(email_message, email_message.created_at)
    begin = time.perf_counter()
    send()
    seconds = time.perf_counter() - begin
    assert EmailMessage.objects.filter(state=State.SENT).count() == COUNT
    return COUNT / seconds


def main() -> int:
    call_command("migrate", verbosity=0)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    server = Controller(Sink(), hostname=address[0], port=address[1])
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = address
    settings.EMAIL_USE_TLS = False
    settings.EMAIL_STORED_ONLY = False
    rounds = [(measure(send_in_loop, has_jobs=False), measure(send_as_jobs, has_jobs=True)) for _ in range(ROUNDS)]
    server.stop()
    in_loop, as_jobs = (median(rates) for rates in zip(*rounds, strict=True))
    ratio = median(loop / jobs for loop, jobs in rounds)  # of the same round, which meets the same load
    is_met = ratio <= TARGET_RATIO
    print(f"emails per second: {in_loop:.0f} in a loop, {as_jobs:.0f} as jobs, ratio {ratio:.2f}", end=" ")
    print(f"(target ≤ {TARGET_RATIO}) {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    raise SystemExit(main())
