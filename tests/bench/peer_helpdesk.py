"""Duration of escalate_tickets of django-helpdesk for 100 overdue tickets among many.

    python tests/bench/peer_helpdesk.py HOST PORT DATABASE OPEN

Prints the milliseconds of the fastest of three rounds. Runs in a separate Python with django-helpdesk, which is not a
dependency of the portal. Emails are discarded.
"""

import sys
import time
from datetime import timedelta

import django
from django.conf import settings

DUE = 100
ROUNDS = 3
urlpatterns: list[object] = []  # filled after the settings are configured


def configure(host: str, port: str, name: str) -> None:
    settings.configure(
        SECRET_KEY="bench",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        SITE_ID=1,
        ROOT_URLCONF=__name__,
        EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                "HOST": host,
                "PORT": port,
                "NAME": name,
                "USER": "postgres",
            }
        },
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.sites",
            "django.contrib.humanize",
            "django.contrib.admin",
            "rest_framework",
            "helpdesk",
        ],
        HELPDESK_TEAMS_MODE_ENABLED=False,
    )
    django.setup()
    from django.urls import include, path

    urlpatterns.append(path("", include("helpdesk.urls", namespace="helpdesk")))


def fill(count: int) -> None:
    """Create a queue with `count` open tickets, none of them overdue."""
    from django.contrib.sites.models import Site
    from django.utils import timezone
    from helpdesk.models import Queue, Ticket

    Site.objects.get_or_create(pk=1, defaults={"domain": "bench.example", "name": "bench"})
    queue = Queue.objects.create(title="Bench", slug="bench", escalate_days=2, email_address="bench@bench.example")
    now = timezone.now()
    for first in range(0, count, 5000):
        Ticket.objects.bulk_create(
            Ticket(
                title=f"Ticket {n}",
                queue=queue,
                created=now,
                modified=now,
                status=Ticket.OPEN_STATUS,
                priority=5,
                submitter_email="reporter@bench.example",
                secret_key="bench",
                last_escalation=now,
            )
            for n in range(first, min(first + 5000, count))
        )


def measure() -> float:
    """Return the milliseconds of one run with DUE overdue tickets."""
    from django.core.management import call_command
    from django.utils import timezone
    from helpdesk.models import Ticket

    old = timezone.now() - timedelta(days=9)
    overdue = list(Ticket.objects.order_by("pk").values_list("pk", flat=True)[:DUE])
    Ticket.objects.filter(pk__in=overdue).update(last_escalation=old, priority=5)
    begin = time.perf_counter()
    call_command("escalate_tickets")
    return (time.perf_counter() - begin) * 1000


def main() -> None:
    host, port, name, count = sys.argv[1:]
    configure(host, port, name)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill(int(count))
    print(min(measure() for _ in range(ROUNDS)))


if __name__ == "__main__":
    main()
