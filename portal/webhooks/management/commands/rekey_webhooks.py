"""manage.py rekey_webhooks: seal every webhook's address and secret with the newest of CREDENTIALS_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.core.crypto import CannotOpen
from portal.webhooks import secrets
from portal.webhooks.models import Endpoint


class Command(BaseCommand):
    help = "Seals every webhook's address and secret with the newest of CREDENTIALS_KEYS; afterwards older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        done, lost = 0, []
        for endpoint in Endpoint.objects.filter(ended_at=None).order_by("pk"):
            try:
                done += secrets.reseal(endpoint)
            except CannotOpen:
                lost.append(endpoint.name)
        self.stdout.write(f"{done} webhooks are sealed anew.")
        if lost:
            raise CommandError(f"No configured key opens {', '.join(lost)}. Their owners enter the address again.")
        self.stdout.write("Every webhook has the newest key.")
