"""Limits of resources that jobs share: concurrency, and periods in which a resource is blocked."""

from datetime import datetime

from django.db.models import Count, F, QuerySet
from django.utils import timezone

from portal.jobs.models import Job, ResourceLimit

# By the part of the key before the colon. A number in the table takes precedence.
DECLARED_CONCURRENCY: dict[str, int] = {}


def declare_concurrency(resource: str, max_concurrency: int) -> None:
    """Limit how many jobs use a resource at a time. `webhook-endpoint` limits each `webhook-endpoint:ID`."""
    DECLARED_CONCURRENCY[resource] = max_concurrency


def block_resource(key: str, until: datetime) -> None:
    """Prevent jobs that use the resource from starting before a time. An empty key has no effect.

    Jobs that find it blocked at the same time count as one failure.
    """
    if not key:
        return
    ResourceLimit.objects.get_or_create(key=key)
    limit = ResourceLimit.objects.filter(key=key)
    is_new_block = limit.exclude(blocked_until__gt=timezone.now())
    if not is_new_block.update(blocked_until=until, failure_count=F("failure_count") + 1):
        limit.filter(blocked_until__lt=until).update(blocked_until=until)


def unblock_resource(key: str) -> bool:
    """Unblock a resource and reset its failures. Return whether it had failures."""
    blocked = ResourceLimit.objects.filter(key=key, failure_count__gt=0)
    return bool(blocked.update(blocked_until=None, failure_count=0))


def list_blocked(now: datetime) -> QuerySet[ResourceLimit, str]:
    """Return the keys of the blocked resources."""
    return ResourceLimit.objects.filter(blocked_until__gt=now).values_list("key", flat=True)


def get_max_concurrency(key: str) -> int | None:
    """Return how many jobs can use a resource at a time, or None for any number."""
    configured = ResourceLimit.objects.filter(key=key).values_list("max_concurrency", flat=True).first()
    return configured if configured is not None else DECLARED_CONCURRENCY.get(key.partition(":")[0])


def lock_resource(key: str) -> None:
    """Lock a resource, so that two jobs never claim its last free slot."""
    ResourceLimit.objects.get_or_create(key=key)
    ResourceLimit.objects.select_for_update().get(key=key)


def find_saturated(now: datetime) -> set[str]:
    """Return the resources whose limit is reached."""
    # The job of a process that died no longer uses the resource.
    running = Job.objects.filter(state=Job.State.RUNNING, lease_expires_at__gt=now).exclude(resource="").order_by()
    counts = running.values_list("resource").annotate(Count("pk"))
    maximums = [(key, count, get_max_concurrency(key)) for key, count in counts]
    return {key for key, count, maximum in maximums if maximum is not None and count >= maximum}
