"""Reconciliation of monitored repositories: scheduled polls that find what webhooks missed.

`data_up_to` moves only after everything was read and stored, for a long list after several polls in a row. An outage
only changes the time of the next attempt.
"""

from contextlib import closing
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from integrations.sla.engine.types import DENIED_KEY, REPLACED_KEY, ClockStatus
from integrations.sla.github import event_store, redelivery
from integrations.sla.github.issue_sync import IssueSync, PrivateRepositoryError
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssueEvent
from integrations.sla.services import monitoring, projection
from portal.jobs.definitions import Backoff, JobContext, ResourceBlocked, job
from portal.jobs.services import enqueue
from verification.sources import factory
from verification.sources.errors import SourceError, SourceNotFoundError, SourceUnavailableError
from verification.sources.github.api import GitHubApi
from verification.sources.github.issues import EtagStore
from verification.sources.rate_limits import GitHubRateLimiter

MAX_ENQUEUED = 200  # in a round; what is left is due in the next one
RETRY = Backoff(first=timedelta(minutes=5), max_attempts=3)  # of faults of ours; the next round tries again
POLL_INTERVAL_WITHOUT_WEBHOOK = timedelta(minutes=5)
POLL_INTERVAL_ACTIVE = timedelta(minutes=15)
POLL_INTERVAL_IDLE = timedelta(minutes=60)
ACTIVITY_WINDOW = timedelta(days=1)
INITIAL_RETRY_DELAY = timedelta(seconds=30)
MAX_RETRY_DELAY = timedelta(minutes=30)
TROUBLE_THRESHOLD_ATTEMPTS = 3  # failed attempts before pages show the problem
GONE_THRESHOLD = timedelta(hours=24)
# A `public` or `repository` webhook event requests an earlier poll (decision 0064).
TROUBLE_RETRY_DELAY = timedelta(hours=6)
NOT_VISIBLE_MESSAGE = "GitHub doesn't currently show this repository. We'll check again before we report it as missing"
GONE_MESSAGE = "GitHub has not shown this repository for more than a day. It was deleted, moved, or made private"


def build_api(etag_cache: EtagStore) -> GitHubApi:
    """Build a GitHub client for background work with its rate limit and an ETag cache."""
    name, limit, auth = factory.get_credential()
    return GitHubApi(settings.GITHUB_API_URL, auth, GitHubRateLimiter(name, limit, background=True), etag_cache)


def enqueue_due_repositories(now: datetime) -> int:
    """Enqueue polls of the due repositories, the longest waiting first. Return the number of repositories."""
    monitoring.start_missing_monitoring(now)
    monitoring.stop_ended_monitoring(now)
    due_repositories = MonitoredRepository.objects.filter(poll_at__lte=now, ended_at=None).order_by("poll_at")
    pks = list(due_repositories.values_list("pk", flat=True)[:MAX_ENQUEUED])
    resource = factory.get_background_resource()
    for pk in pks:
        enqueue(reconcile, repository_id=pk, dedup_key=str(pk), run_after=now, resource=resource)
    return len(pks)


@job("sla.reconcile", queue="network", retry=RETRY)
def reconcile(context: JobContext, *, repository_id: int) -> None:
    """Poll a repository. After an outage, its own schedule starts the next attempt; a limit holds up all polls."""
    now = timezone.now()
    etag_cache = EtagStore({}, {})
    if not MonitoredRepository.objects.filter(pk=repository_id, poll_at__lte=now, ended_at=None).exists():
        return  # polled in the meantime, or no longer monitored
    try:
        with closing(build_api(etag_cache)) as api:
            reconcile_repository(repository_id, now, api, etag_cache)
    except SourceUnavailableError as outage:
        limit_end = factory.get_background_limit_end()
        if limit_end is not None:
            raise ResourceBlocked(limit_end, str(outage)) from outage


def reconcile_repository(pk: int, now: datetime, api: GitHubApi, etag_cache: EtagStore) -> None:
    """Poll a repository and schedule the next poll.

    Raises:
        SourceUnavailableError: GitHub is unavailable.
    """
    monitored_repository = MonitoredRepository.objects.select_related("integration__partner").get(pk=pk)
    etag_cache.before = monitored_repository.etags
    etag_cache.now = {}
    try:
        sync = IssueSync(api, monitored_repository, now)
        sync.run()
        updated_repository = _store_result(sync, etag_cache.now)
        if updated_repository is not None:
            redelivery.request_redeliveries(api, updated_repository, now)
    except SourceUnavailableError as outage:
        _schedule_retry(monitored_repository, outage, now)
        raise
    except SourceNotFoundError:
        _record_missing(monitored_repository, now)
    except PrivateRepositoryError as refusal:
        _record_trouble(monitored_repository, str(refusal), now, is_hidden=True)
    except SourceError as refusal:
        _record_trouble(monitored_repository, str(refusal), now, is_hidden=False)


def _store_result(sync: IssueSync, etags: dict[str, str]) -> MonitoredRepository | None:
    """Store the changes and update `data_up_to`. None if monitoring ended or the repository changed in the meantime."""
    monitored_repository = sync.monitored_repository
    now = sync.now
    with transaction.atomic():
        row = monitoring.lock_repository(monitored_repository.pk, wait=True)
        if row is None or row.ended_at is not None or row.repository != monitored_repository.repository:
            return None
        changed_issue_ids = event_store.store_updates(row, sync.updates, "poll", now, sync.batches)
        has_missed_events = bool(changed_issue_ids) and _has_missed_events(changed_issue_ids, now)
        row.cursors = sync.cursors | ({"missed_at": now.isoformat()} if has_missed_events else {})
        row.data_up_to = row.data_up_to if sync.is_partial else max(row.data_up_to, now)
        row.repository = sync.name
        row.repository_id = sync.number
        row.etags = etags or row.etags
        for name, value in monitoring.NO_TROUBLE.items():
            setattr(row, name, value)
        row.poll_at = now if sync.is_partial else calculate_next_poll(row, now)
        row.save()
        # With the new data, these clocks may have an outcome.
        condition = Q(state=ClockStatus.DATA_INCOMPLETE) | Q(state=ClockStatus.RUNNING, due_at__lte=now)
        undecided_clocks = SlaClock.objects.filter(condition, monitored_repository=row, issue__ended_at=None)
        undecided_ids = undecided_clocks.values_list("issue_id", flat=True)
        projection.rebuild_projections(changed_issue_ids.union(undecided_ids), now)
    return row


def _has_missed_events(issue_ids: set[int], now: datetime) -> bool:
    """Return whether the poll found events that a webhook should have reported."""
    listed_events = SupportIssueEvent.objects.filter(issue__in=issue_ids, source="poll", seen_at=now)
    # The webhook of a later event can still be on its way, and a denial has the time of the event that it denies.
    denials = Q(data__has_any_keys=[DENIED_KEY, REPLACED_KEY])
    old_events = listed_events.filter(~denials, at__lt=now - timedelta(minutes=2))
    # Webhooks don't report the commit that closed an issue.
    return any(not data.get("commit") for data in old_events.values_list("data", flat=True))


def calculate_next_poll(monitored_repository: MonitoredRepository, now: datetime) -> datetime:
    """Return the time of the next poll: soon without a reliable webhook, later for inactive repositories."""
    if not is_webhook_reliable(monitored_repository):
        interval = POLL_INTERVAL_WITHOUT_WEBHOOK
    elif monitored_repository.issues.filter(updated_at__gte=now - ACTIVITY_WINDOW).exists():
        interval = POLL_INTERVAL_ACTIVE
    else:
        interval = POLL_INTERVAL_IDLE
    # Repositories whose monitoring began at the same time would otherwise be polled in bursts.
    spread = timedelta(seconds=monitored_repository.pk * 7919 % int(interval.total_seconds() / 10))
    return now + interval - spread


def is_webhook_reliable(monitored_repository: MonitoredRepository) -> bool:
    """Return whether the webhook has delivered and no poll has found missed events since."""
    missed_at = monitored_repository.cursors.get("missed_at")
    if monitored_repository.last_delivery_at is None:
        return False
    return missed_at is None or monitored_repository.last_delivery_at > datetime.fromisoformat(missed_at)


def _schedule_retry(monitored_repository: MonitoredRepository, outage: SourceUnavailableError, now: datetime) -> None:
    """Schedule the next attempt with exponential backoff, or at the time that GitHub requests."""
    attempts = min(monitored_repository.attempts + 1, 100)
    retry_at = now + min(INITIAL_RETRY_DELAY * 2 ** min(attempts - 1, 10), MAX_RETRY_DELAY)
    trouble_values = {}
    if attempts >= TROUBLE_THRESHOLD_ATTEMPTS and not monitored_repository.trouble:
        trouble_values = {"trouble": str(outage)[:300].rstrip("."), "trouble_since": now}
    poll_at = max(retry_at, outage.retry_at or retry_at)
    _select_polled(monitored_repository).update(attempts=attempts, poll_at=poll_at, **trouble_values)


def _record_missing(monitored_repository: MonitoredRepository, now: datetime) -> None:
    """Record a missing repository. GitHub's responses don't tell deleted from hidden ones."""
    missing_since = monitored_repository.missing_since or now
    is_gone = now - missing_since >= GONE_THRESHOLD
    message = GONE_MESSAGE if is_gone else NOT_VISIBLE_MESSAGE
    _record_trouble(monitored_repository, message, now, is_hidden=is_gone, missing_since=missing_since)


def _record_trouble(
    monitored_repository: MonitoredRepository, message: str, now: datetime, *, is_hidden: bool, **fields: datetime
) -> None:
    trouble_since = monitored_repository.trouble_since if monitored_repository.trouble else now
    # GitHub responded, so earlier failed attempts don't count.
    _select_polled(monitored_repository).update(
        attempts=0,
        trouble=message[:300].rstrip("."),
        trouble_since=trouble_since,
        is_hidden=is_hidden,
        poll_at=now + TROUBLE_RETRY_DELAY,
        **fields,
    )


def _select_polled(monitored_repository: MonitoredRepository) -> QuerySet[MonitoredRepository]:
    """Select the row of a repository, unless monitoring ended or switched to another one during the poll."""
    return MonitoredRepository.objects.filter(
        pk=monitored_repository.pk, repository=monitored_repository.repository, ended_at=None
    )
