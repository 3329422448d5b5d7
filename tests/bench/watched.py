"""Watched repositories to measure on: as many as are asked for, each of an integration of its own."""

from django.utils import timezone

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from portal.core import crypto
from tests.bench.world import build, fill

SECRET = "the secret of the bench"


def create_watches(count: int) -> list[MonitoredRepository]:
    """The watches, all with the same secret, since this moment."""
    row, _, _ = build()
    fill(row, count)
    now, watches = timezone.now(), []
    for number, integration in enumerate(Integration.objects.order_by("pk")[:count]):
        watch = MonitoredRepository(
            integration=integration,
            repository=f"bench/terraform-provider-{number}",
            repository_id=10_000 + number,
            began_at=now,
            data_up_to=now,
        )
        watch.encrypt("secret", crypto.Secret(SECRET))
        watches.append(watch)
    return MonitoredRepository.objects.bulk_create(watches)
