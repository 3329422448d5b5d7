"""manage.py rekey_webhooks: seal every webhook's address and secret with the newest of ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.core.crypto import DecryptionError
from portal.webhooks import secrets
from portal.webhooks.models import WebhookEndpoint


class Command(BaseCommand):
    help = "Seals every webhook's address and secret with the newest of ENCRYPTION_KEYS; afterwards older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        reencrypted_count, undecryptable_names = 0, []
        for endpoint in WebhookEndpoint.objects.filter(ended_at=None).order_by("pk"):
            try:
                reencrypted_count += secrets.reencrypt(endpoint)
            except DecryptionError:
                undecryptable_names.append(endpoint.name)
        self.stdout.write(f"{reencrypted_count} webhooks are sealed anew.")
        if undecryptable_names:
            raise CommandError(
                f"No configured key opens {', '.join(undecryptable_names)}. Their owners enter the address again."
            )
        self.stdout.write("Every webhook has the newest key.")
