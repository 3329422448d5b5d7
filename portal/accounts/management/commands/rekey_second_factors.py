"""manage.py rekey_second_factors: encrypt every second factor's secret with the newest of ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.accounts import second_factor_secrets


class Command(BaseCommand):
    help = "Encrypts every second factor's secret with the newest of ENCRYPTION_KEYS; afterwards older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        count, undecryptable_emails = second_factor_secrets.rekey_secrets()
        self.stdout.write(f"Second factors encrypted again: {count}.")
        if undecryptable_emails:
            emails = ", ".join(undecryptable_emails)
            raise CommandError(f"No configured key opens the second factors of {emails}. Remove them to let them in.")
        self.stdout.write("Every second factor has the newest key.")
