"""Command that encrypts all secrets in the database with the newest key."""

from django.core.management.base import BaseCommand, CommandError

from portal.core.encrypted_fields import rotate_keys


class Command(BaseCommand):
    help = "Encrypt all secrets in the database with the newest of ENCRYPTION_KEYS. You can then remove older keys."

    def handle(self, *args: object, **options: object) -> None:
        results = rotate_keys()
        for result in results:
            self.stdout.write(f"Re-encrypted {result.label}: {result.changed_count}.")
        if names := "; ".join(name for result in results for name in result.undecryptable):
            raise CommandError(f"No configured key decrypts: {names}. docs/how-to/rotate-keys.md says what to do.")
        self.stdout.write("All secrets use the newest key.")
