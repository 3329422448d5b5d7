"""Services that start and stop the monitoring of repositories and manage webhook secrets."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.sla.engine.types import OPEN_STATES, ClockStatus
from integrations.sla.models import IS_MONITORED, MonitoredRepository, SlaClock
from integrations.sla.services.issue_repository import IssueRepository, get_issue_repository
from integrations.submissions.models import Integration
from integrations.submissions.services.changes import change_integration
from integrations.submissions.workflow.states import FINAL_STAGES, ListingStatus, Stage
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.core.repository_urls import get_allowed_host
from portal.core.value_types import NamedValues
from portal.jobs.batches import process_each

BATCH_SIZE = 100
# Delisted integrations and those whose partner ended the support commitment have none.
COMMITTED_STATUSES = (ListingStatus.LISTED, ListingStatus.ON_NOTICE, ListingStatus.SUSPENDED)
OLD_SECRET_LIFETIME = timedelta(hours=24)
# Of a repository that is entered again. Its issues are listed again, to resume them, but its history can be too long.
KEPT_CURSORS = ("comments", "event", "verified", "missed_at", "moved", "covered")
LISTING_DELAY = timedelta(hours=1)  # delay after which GitHub's lists are complete
NO_TROUBLE: NamedValues = {
    "attempts": 0,
    "trouble": "",
    "trouble_since": None,
    "is_hidden": False,
    "missing_since": None,
}
MAX_DATA_AGE = timedelta(days=1)  # of an issue tracker that counts as measurable


@dataclass(frozen=True, slots=True, repr=False)
class WebhookSecrets:
    """Secrets of a webhook: the current one, and the previous one while it is still valid."""

    current: bytes
    old: bytes = b""
    old_until: datetime | None = None

    def get_valid_secrets(self, now: datetime) -> tuple[bytes, ...]:
        """Return the valid secrets."""
        if self.old and self.old_until is not None and now < self.old_until:
            return self.current, self.old
        return (self.current,)


def lock_repository(monitored_repository_id: int, *, wait: bool = False) -> MonitoredRepository | None:
    """Lock the repository's row. Return None if another process holds the lock and `wait` is False."""
    assert transaction.get_connection().in_atomic_block
    repositories = MonitoredRepository.objects.select_for_update(skip_locked=not wait, no_key=True, of=("self",))
    return repositories.select_related("integration__partner").filter(pk=monitored_repository_id).first()


def start_monitoring(integration: Integration, now: datetime) -> MonitoredRepository | None:
    """Start monitoring an integration in support. None without a repository or a support commitment."""
    ended = MonitoredRepository.objects.filter(integration=integration, ended_at__isnull=False)
    if not _has_support_commitment(integration):
        return None
    target = get_issue_repository(integration)
    if not target.repository:
        # A repository that is entered later doesn't resume the earlier support.
        ended.update(began_at=now, moved_at=None)
        return None
    initial_values: NamedValues = {
        **target._asdict(),
        "began_at": now,
        "moved_at": None,
        "ended_at": None,
        "hook_id": None,
        "last_delivery_at": None,
        "data_up_to": now,
        "poll_at": now,
        "cursors": {"entered": target.repository},
    }
    for monitored_repository in ended:
        # The clocks of earlier issues would otherwise count the time without support.
        _end_issues(monitored_repository, monitored_repository.ended_at)
    ended.update(**initial_values, **NO_TROUBLE, etags={})
    return MonitoredRepository.objects.get_or_create(integration=integration, defaults=initial_values)[0]


def _has_support_commitment(integration: Integration) -> bool:
    """Return whether SLA targets apply: the programs state them for the support of published integrations only."""
    return integration.stage == Stage.SUPPORT and integration.listing_status in COMMITTED_STATUSES


def start_missing_monitoring(now: datetime) -> int:
    """Start missing monitoring of integrations in support, as a safety net. Return the number of repositories."""
    is_on_github = ~Q(repository="") | Q(fulfillments__data__tracker__icontains=get_allowed_host())
    candidates = Integration.objects.filter(
        is_on_github, stage=Stage.SUPPORT, listing_status__in=COMMITTED_STATUSES, monitored_repository=None
    )
    return process_each(
        candidates.distinct()[:BATCH_SIZE],
        lambda integration: start_monitoring(integration, now) is not None,
        "start monitoring integration",
    )


def filter_measurable(now: datetime) -> QuerySet[MonitoredRepository]:
    """Return the repositories whose issue tracker is measurable: read completely at least once, and within a day.

    Data of a private or deleted repository isn't complete, so it stops being measurable after a day.
    """
    return MonitoredRepository.objects.filter(
        ended_at=None, data_up_to__gt=F("began_at"), data_up_to__gte=now - MAX_DATA_AGE
    )


@transaction.atomic
def stop_monitoring(integration: Integration, now: datetime) -> None:
    """Stop monitoring an integration and its clocks."""
    monitored = MonitoredRepository.objects.filter(integration=integration, ended_at=None)
    # Polls and webhooks lock the repository before its clocks, too.
    list(monitored.select_for_update(no_key=True))
    SlaClock.objects.filter(monitored_repository__in=monitored, next_at__isnull=False).update(next_at=None)
    monitored.update(ended_at=now, poll_at=None, **NO_TROUBLE)


def stop_ended_monitoring(now: datetime) -> int:
    """Stop monitoring integrations whose end can't be undone anymore. Return their number."""
    # Clocks keep running while the end of support can be undone, so that undoing it leaves no gap.
    is_final = Q(undo_until=None) | Q(undo_until__lte=now)
    ended = Integration.objects.filter(
        is_final, stage__in=FINAL_STAGES, monitored_repository__isnull=False, monitored_repository__ended_at=None
    )
    return process_each(
        list(ended[:BATCH_SIZE]),
        lambda each: stop_monitoring(each, each.ended_at or now),
        "stop monitoring integration",
    )


def update_repository(integration: Integration, now: datetime, actor: AnyUser | None) -> None:
    """Switch monitoring to a new repository or issue tracker. Stored data of the old one stays, and its clocks end.

    Removing the repository and entering one again continues the monitoring, so it can't reset clocks.
    """
    # Some programs don't require a repository.
    target = get_issue_repository(integration)
    rows = MonitoredRepository.objects.filter(integration=integration)
    monitored_repository = rows.select_for_update(no_key=True).first()
    if not target.repository:
        _record_leaving(monitored_repository, target, now, actor)
        stop_monitoring(integration, now)
        return
    is_ended = monitored_repository is not None and monitored_repository.ended_at is not None
    if monitored_repository is None or (is_ended and not _has_support_commitment(integration)):
        start_monitoring(integration, now)
        return
    is_moved = not _is_same_repository(monitored_repository, target)
    is_renamed = not is_moved and _has_entered_name(monitored_repository, target)
    if not is_ended and (is_renamed or _has_same_name(monitored_repository, target)):
        return
    if is_moved:
        _record_leaving(monitored_repository, target, now, actor)
    if is_moved or is_ended:
        # The next poll resumes the issues that the repository still has.
        _end_issues(monitored_repository, monitored_repository.ended_at or now)
    # The ETags and cursors of the old repository would hide issues of the new one, and its problems don't apply.
    cursors = _build_moved_cursors(monitored_repository) if is_moved else _keep_cursors(monitored_repository)
    values: NamedValues = {
        **target._asdict(),
        "ended_at": None,
        "poll_at": now,
        "etags": {},
        "cursors": cursors | {"entered": target.repository},
    }
    if is_moved:
        moved_at = _get_covered_from(monitored_repository, target, now)
        # The new repository has no webhook yet, so it must be polled often.
        values |= {"moved_at": moved_at, "hook_id": None, "last_delivery_at": None}
    rows.update(**values, **NO_TROUBLE)


def _record_leaving(
    monitored_repository: MonitoredRepository | None, target: IssueRepository, now: datetime, actor: AnyUser | None
) -> None:
    """Record who left the repository with how many open clocks of SLA targets, before they end."""
    if monitored_repository is None or monitored_repository.ended_at is not None:
        return
    open_clocks = monitored_repository.clocks.filter(IS_MONITORED, is_committed=True, state__in=OPEN_STATES)
    record_event(
        monitored_repository.integration,
        "monitoring.repository_left",
        actor=actor,
        now=now,
        old=monitored_repository.repository,
        new=target.repository,
        open=open_clocks.count(),
        overdue=open_clocks.filter(state=ClockStatus.OVERDUE).count(),
    )


def _keep_cursors(monitored_repository: MonitoredRepository) -> NamedValues:
    return {name: value for name, value in monitored_repository.cursors.items() if name in KEPT_CURSORS}


def _build_moved_cursors(monitored_repository: MonitoredRepository) -> NamedValues:
    """Return the cursors of a repository that replaces the monitored one."""
    cursors = monitored_repository.cursors
    # What happened before the first move was read or isn't covered, and the history can be too long to read.
    read_up_to = (monitored_repository.data_up_to - LISTING_DELAY).isoformat()
    covered_from = monitored_repository.moved_at or monitored_repository.began_at
    former = {monitored_repository.repository.casefold(): covered_from.isoformat()}
    return {"moved": cursors.get("moved", read_up_to), "covered": cursors.get("covered", {}) | former}


def _get_covered_from(monitored_repository: MonitoredRepository, target: IssueRepository, now: datetime) -> datetime:
    """Return when the coverage of a repository begins: with the move to it, or earlier if the integration moves back.

    Moving away and back would otherwise exempt the issues that were opened in the meantime.
    """
    covered = monitored_repository.cursors.get("covered", {})
    earlier = covered.get(target.repository.casefold())
    return max(datetime.fromisoformat(earlier), monitored_repository.began_at) if earlier else now


def _is_same_repository(monitored_repository: MonitoredRepository, target: IssueRepository) -> bool:
    """Return whether the target is the monitored repository. A renamed repository keeps its ID."""
    if monitored_repository.repository_id is None or target.repository_id is None:
        return _has_same_name(monitored_repository, target) or _has_entered_name(monitored_repository, target)
    return monitored_repository.repository_id == target.repository_id


def _has_same_name(monitored_repository: MonitoredRepository, target: IssueRepository) -> bool:
    # GitHub ignores letter case. Polls store the name as GitHub writes it, and people may enter it differently.
    return monitored_repository.repository.casefold() == target.repository.casefold()


def _has_entered_name(monitored_repository: MonitoredRepository, target: IssueRepository) -> bool:
    """Return whether the partner still states the name that it had before GitHub renamed the repository."""
    return str(monitored_repository.cursors.get("entered", "")).casefold() == target.repository.casefold()


def _end_issues(monitored_repository: MonitoredRepository, ended_at: datetime | None) -> None:
    """End the monitoring of the present issues of a repository and their clocks."""
    monitored_repository.issues.filter(ended_at=None).update(ended_at=ended_at)
    monitored_repository.clocks.filter(next_at__isnull=False).update(next_at=None)


def rotate_secret(
    monitored_repository: MonitoredRepository, *, actor: AnyUser | None, now: datetime, expected_fingerprint: str
) -> crypto.Secret:
    """Create and return a new secret. The previous secret stays valid for 24 hours.

    Its fingerprint prevents a second rotation by mistake, after which the secret at GitHub would no longer be valid.
    """
    new_secret = crypto.Secret(secrets.token_hex(32))
    with change_integration(monitored_repository.integration, permissions.can_edit, actor=actor, now=now) as change:
        row = MonitoredRepository.objects.select_for_update(no_key=True).get(pk=monitored_repository.pk)
        if get_secret_fingerprint(row) != expected_fingerprint:
            raise ActionRefused(
                _("The secret was rotated after you opened this page. Rotate it again if you need a new one.")
            )
        # GitHub signs with the old secret until a person enters the new one in the webhook's settings.
        row.old_secret = row.secret
        row.old_secret_until = now + OLD_SECRET_LIFETIME if row.secret else None
        row.encrypt("secret", new_secret)
        row.save(update_fields=["secret", "old_secret", "old_secret_until"])
        change.record("monitoring.secret_created")
    return new_secret


def get_secret_fingerprint(monitored_repository: MonitoredRepository) -> str:
    """Return a fingerprint that identifies the current secret without revealing it."""
    return hashlib.sha256(bytes(monitored_repository.secret or b"")).hexdigest()[:16]


def decrypt_secrets(monitored_repository: MonitoredRepository) -> WebhookSecrets:
    """Decrypt the secrets of a repository. Raises DecryptionError."""
    assert monitored_repository.secret  # an empty key would let anyone sign
    current = monitored_repository.decrypt("secret").value.encode()
    if not monitored_repository.old_secret:
        return WebhookSecrets(current)
    previous = monitored_repository.decrypt("old_secret").value.encode()
    return WebhookSecrets(current, previous, monitored_repository.old_secret_until)


def describe_trouble(monitored_repository: MonitoredRepository) -> str:
    """Describe the current problem of a repository. Empty without a problem."""
    if monitored_repository.trouble or monitored_repository.last_delivery_at:
        return monitored_repository.trouble
    return _("No webhook delivery yet. We check the repository every 5 minutes")
