"""Command that encrypts all second-factor secrets with the newest key."""

from django.core.management.base import BaseCommand, CommandError

from portal.accounts import second_factor_secrets


class Command(BaseCommand):
    help = "Encrypt all second-factor secrets with the newest of ENCRYPTION_KEYS. You can then remove older keys."

    def handle(self, *args: object, **options: object) -> None:
        count, undecryptable_emails = second_factor_secrets.rekey_secrets()
        self.stdout.write(f"Second factors re-encrypted: {count}.")
        if undecryptable_emails:
            emails = ", ".join(undecryptable_emails)
            raise CommandError(
                f"No configured key decrypts the second factors of {emails}. Remove them to restore access."
            )
        self.stdout.write("All second factors use the newest key.")
