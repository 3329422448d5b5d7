"""Command that encrypts all webhook secrets with the newest key."""

from django.core.management.base import BaseCommand, CommandError

from integrations.sla.services import monitoring


class Command(BaseCommand):
    help = "Encrypt all GitHub webhook secrets with the newest of ENCRYPTION_KEYS. You can then remove older keys."

    def handle(self, *args: object, **options: object) -> None:
        rekeyed_count, unreadable_watches = monitoring.rekey_secrets()
        self.stdout.write(f"Webhook secrets re-encrypted: {rekeyed_count}.")
        if unreadable_watches:
            names = ", ".join(watch.repository for watch in unreadable_watches)
            raise CommandError(
                f"No configured key decrypts the secrets of {names}. Ask the partners to rotate these secrets."
            )
        self.stdout.write("All webhook secrets use the newest key.")
