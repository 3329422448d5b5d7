"""manage.py rekey_credentials: seal every kept test account with the newest of CREDENTIALS_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from integrations.submissions.services import credentials


class Command(BaseCommand):
    help = "Seals every kept test account with the newest of CREDENTIALS_KEYS; afterwards older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        done, lost = credentials.rekey()
        self.stdout.write(f"{done} test accounts are sealed anew.")
        if lost:
            names = "; ".join(f"{each} (number {each.pk})" for each in lost)
            raise CommandError(f"No configured key opens {len(lost)} of them: {names}. Ask their companies again.")
        self.stdout.write("Every kept test account has the newest key.")
