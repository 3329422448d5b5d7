"""Command that re-encrypts webhook URLs and secrets with the newest key."""

from django.core.management.base import BaseCommand, CommandError

from portal.core.crypto import DecryptionError
from portal.webhooks import secrets
from portal.webhooks.models import WebhookEndpoint


class Command(BaseCommand):
    help = "Re-encrypt webhook URLs and secrets with the newest of ENCRYPTION_KEYS, so that older keys can be removed."

    def handle(self, *args: object, **options: object) -> None:
        reencrypted_count, undecryptable_names = 0, []
        for endpoint in WebhookEndpoint.objects.filter(ended_at=None).order_by("pk"):
            try:
                reencrypted_count += secrets.reencrypt(endpoint)
            except DecryptionError:
                undecryptable_names.append(endpoint.name)
        self.stdout.write(f"Re-encrypted webhooks: {reencrypted_count}.")
        if undecryptable_names:
            raise CommandError(
                f"No configured key decrypts {', '.join(undecryptable_names)}. Ask the owners to enter the URL again."
            )
        self.stdout.write("All webhooks use the newest key.")
