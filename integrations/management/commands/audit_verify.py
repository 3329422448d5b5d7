"""Verifies that the history is as it was written: every hash and every link of every stream."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from integrations.history import broken_links
from integrations.models import Event


class Command(BaseCommand):
    help = "Recomputes the hash chain of every stream and names each event that does not fit."

    def handle(self, *args: Any, **options: Any) -> None:
        events = Event.objects.order_by("stream", "seq").iterator(chunk_size=2000)
        broken = 0
        for event, why in broken_links(events):
            broken += 1
            self.stderr.write(f"{event.stream} event {event.seq} ({event.verb}): {why}")
        if broken:
            raise CommandError(f"{broken} places of the history do not fit.")
        self.stdout.write(f"{Event.objects.count()} events verified")
