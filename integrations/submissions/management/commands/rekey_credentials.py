"""manage.py rekey_credentials: seal every kept test account with the newest of ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from integrations.submissions.services import credentials


class Command(BaseCommand):
    help = "Seals every kept test account with the newest of ENCRYPTION_KEYS; afterwards older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        count, undecryptable = credentials.rekey_credentials()
        self.stdout.write(f"{count} test accounts are sealed anew.")
        if undecryptable:
            names = "; ".join(f"{credential} (number {credential.pk})" for credential in undecryptable)
            raise CommandError(
                f"No configured key opens {len(undecryptable)} of them: {names}. Ask their companies again."
            )
        self.stdout.write("Every kept test account has the newest key.")
