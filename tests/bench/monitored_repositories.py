"""Monitored repositories for benchmarks, each of its own integration."""

from django.utils import timezone

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from portal.core import crypto
from tests.bench.world import build, fill

SECRET = "the secret of the benchmark"


def create_monitored_repositories(count: int) -> list[MonitoredRepository]:
    """Create monitored repositories that have the same secret and begin now."""
    row, _, _ = build()
    fill(row, count)
    now = timezone.now()
    monitored_repositories = []
    for number, integration in enumerate(Integration.objects.order_by("pk")[:count]):
        monitored_repository = MonitoredRepository(
            integration=integration,
            repository=f"bench/terraform-provider-{number}",
            repository_id=10_000 + number,
            began_at=now,
            data_up_to=now,
        )
        monitored_repository.encrypt("secret", crypto.Secret(SECRET))
        monitored_repositories.append(monitored_repository)
    return MonitoredRepository.objects.bulk_create(monitored_repositories)
