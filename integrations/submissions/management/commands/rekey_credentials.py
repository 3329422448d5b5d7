"""Command that re-encrypts test accounts with the newest key."""

from django.core.management.base import BaseCommand, CommandError

from integrations.submissions.services import credentials


class Command(BaseCommand):
    help = "Re-encrypt all test accounts with the newest key of ENCRYPTION_KEYS. Older keys are unused afterwards."

    def handle(self, *args: object, **options: object) -> None:
        count, undecryptable = credentials.rekey_credentials()
        self.stdout.write(f"Re-encrypted test accounts: {count}.")
        if undecryptable:
            names = "; ".join(f"{credential} (ID {credential.pk})" for credential in undecryptable)
            raise CommandError(
                f"No configured key decrypts {len(undecryptable)} test accounts: {names}. "
                "Ask the partners to submit them again."
            )
        self.stdout.write("All test accounts use the newest key.")
