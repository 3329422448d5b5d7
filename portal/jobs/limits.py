"""Limits of resources that jobs share: concurrency, quotas, and times in which a resource takes nothing."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Count, F, Q

from portal.jobs.models import Job, ResourceLimit

# By the part of the key before the colon; a number in the table has precedence.
DECLARED_CONCURRENCY: dict[str, int] = {}


def declare_concurrency(resource: str, max_concurrency: int) -> None:
    """Limit how many jobs use a resource at a time. `webhook-endpoint` stands for each `webhook-endpoint:7`."""
    DECLARED_CONCURRENCY[resource] = max_concurrency


def record_quota(key: str, *, remaining: int, resets_at: datetime) -> None:
    """Record what a resource says is left of its quota. At 0 no job that uses it starts until the reset."""
    quota = {"remaining": remaining, "resets_at": resets_at}
    ResourceLimit.objects.update_or_create(key=key, defaults=quota)


def block_resource(key: str, until: datetime) -> None:
    """Let no job that uses the resource start before a time. A job without a resource blocks nothing."""
    if not key:
        return
    blocked = ResourceLimit.objects.filter(key=key)
    if not blocked.update(blocked_until=until, failure_count=F("failure_count") + 1):
        ResourceLimit.objects.update_or_create(key=key, defaults={"blocked_until": until, "failure_count": 1})


def unblock_resource(key: str) -> None:
    """Forget that a resource was blocked, because a job that uses it succeeded."""
    ResourceLimit.objects.filter(key=key, failure_count__gt=0).update(blocked_until=None, failure_count=0)


def lock_resource(key: str) -> None:
    """Wait for other claims of jobs with the same resource, so that two of them never take its last place."""
    row = ResourceLimit.objects.select_for_update().filter(key=key).first()
    if row is None and _get_declared(key) is not None:
        ResourceLimit.objects.get_or_create(key=key)
        ResourceLimit.objects.select_for_update().get(key=key)


def find_unavailable(now: datetime, keys: Iterable[str] | None = None) -> set[str]:
    """Return the resources, of some keys or of all, that are blocked, out of quota, or used by enough jobs."""
    is_blocked = Q(blocked_until__gt=now) | Q(remaining=0, resets_at__gt=now)
    limits = ResourceLimit.objects.all()
    running = Job.objects.filter(state=Job.State.RUNNING, lease_expires_at__gt=now).exclude(resource="")
    if keys is not None:
        limits, running = limits.filter(key__in=keys), running.filter(resource__in=keys)
    counts = dict(running.order_by().values_list("resource").annotate(Count("pk")))
    configured = dict(
        limits.filter(key__in=counts, max_concurrency__isnull=False).values_list("key", "max_concurrency")
    )
    maximums = {key: configured.get(key, _get_declared(key)) for key in counts}
    saturated = {key for key, maximum in maximums.items() if maximum is not None and counts[key] >= maximum}
    return saturated | set(limits.filter(is_blocked).values_list("key", flat=True))


def _get_declared(key: str) -> int | None:
    return DECLARED_CONCURRENCY.get(key.partition(":")[0])
