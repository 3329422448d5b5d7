"""manage.py rekey_hooks: seal every hook's secret with the newest of ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from integrations.sla.services import monitoring


class Command(BaseCommand):
    help = "Seals every hook's secret with the newest of ENCRYPTION_KEYS; afterwards older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        rekeyed_count, unreadable_watches = monitoring.rekey_secrets()
        self.stdout.write(f"{rekeyed_count} secrets of hooks are sealed anew.")
        if unreadable_watches:
            names = ", ".join(watch.repository for watch in unreadable_watches)
            raise CommandError(f"No configured key opens the secrets of {names}. Their companies make new ones.")
        self.stdout.write("Every hook's secret has the newest key.")
