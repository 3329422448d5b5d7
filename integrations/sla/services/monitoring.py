"""Which repositories are watched, with which secret, and when is each read next?"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from integrations.sla.models import Watch
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import Stage
from portal.core import crypto

AT_ONCE = 100
OLD_SECRET_FOR = timedelta(hours=24)
NO_DELIVERY = "no delivery seen yet; we read every 5 minutes instead"


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """The secrets of a hook as bytes: the current one, and the one before while it is still taken."""

    current: bytes
    old: bytes = b""
    old_until: datetime | None = None

    def valid(self, now: datetime) -> tuple[bytes, ...]:
        """The secrets that count at a moment."""
        if self.old and self.old_until is not None and now < self.old_until:
            return self.current, self.old
        return (self.current,)


def begin(integration: Integration, now: datetime) -> Watch | None:
    """Watch the repository of an integration that has entered support. None where it names none."""
    if not integration.repository or integration.stage != Stage.SUPPORT:
        return None
    fresh = {
        "repository": integration.repository,
        "repository_id": integration.repository_id,
        "began_at": now,
        "ended_at": None,
        "data_up_to": now,
        "poll_at": now,
    }
    watch, made = Watch.objects.get_or_create(integration=integration, defaults=fresh)
    if not made and watch.ended_at is not None:
        for name, value in (fresh | {"cursors": {}, "etags": {}, "attempts": 0}).items():
            setattr(watch, name, value)
        watch.save()
    return watch


def begin_missing(now: datetime) -> int:
    """Watch what is in support and was never watched: the net under the release. Returns how many."""
    unwatched = Integration.objects.filter(stage=Stage.SUPPORT, watch=None).exclude(repository="")
    return sum(begin(integration, now) is not None for integration in unwatched[:AT_ONCE])


def end(integration: Integration, now: datetime) -> None:
    """Stop watching: nothing comes in any more, and no clock of it has a moment to come."""
    for watch in Watch.objects.filter(integration=integration, ended_at=None):
        watch.clocks.exclude(next_at=None).update(next_at=None)
        Watch.objects.filter(pk=watch.pk).update(ended_at=now, poll_at=None, trouble="", trouble_since=None)


def follow(integration: Integration, now: datetime) -> None:
    """The integration names another repository: what was read so far stays, the new one is read from now on."""
    Watch.objects.filter(integration=integration, ended_at=None).exclude(repository=integration.repository).update(
        repository=integration.repository,
        repository_id=integration.repository_id,
        poll_at=now,
        etags={},
        cursors={},
        missing_since=None,
    )


def rotate(watch: Watch, now: datetime) -> crypto.Secret:
    """A new secret, to be shown once. The one before is taken for another 24 hours."""
    fresh = crypto.Secret(secrets.token_hex(32))
    with transaction.atomic():
        row = Watch.objects.select_for_update(no_key=True).get(pk=watch.pk)
        row.old_secret, row.old_secret_until = row.secret, now + OLD_SECRET_FOR if row.secret else None
        row.secret = crypto.seal(fresh, context(row))
        row.save(update_fields=["secret", "old_secret", "old_secret_until"])
    return fresh


def rekey() -> tuple[int, list[Watch]]:
    """Seal every secret with the newest key. Returns how many watches were changed, and those that no key opens."""
    done, lost = 0, []
    for pk in list(Watch.objects.exclude(secret=None).order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            row = Watch.objects.select_for_update(no_key=True).get(pk=pk)
            try:
                done += _sealed_anew(row)
            except crypto.CannotOpen:
                lost.append(row)
    return done, lost


def _sealed_anew(row: Watch) -> bool:
    kept = {name: bytes(sealed) for name in ("secret", "old_secret") if (sealed := getattr(row, name))}
    old = {name: sealed for name, sealed in kept.items() if not crypto.is_current(sealed)}
    for name, sealed in old.items():
        setattr(row, name, crypto.seal(crypto.unseal(sealed, context(row)), context(row)))
    row.save(update_fields=list(old))
    return bool(old)


def keys(watch: Watch) -> Keys:
    """The watch's secrets, opened. Raises vault.CannotOpen."""
    assert watch.secret
    current = crypto.unseal(bytes(watch.secret), context(watch)).value.encode()
    if not watch.old_secret:
        return Keys(current)
    old = crypto.unseal(bytes(watch.old_secret), context(watch)).value.encode()
    return Keys(current, old, watch.old_secret_until)


def context(watch: Watch) -> str:
    """What binds a sealed secret to its row."""
    return f"watch {watch.uuid} secret"


def trouble(watch: Watch) -> str:
    """What stands between the repository and what we know of it, in words; blank when nothing does."""
    if watch.trouble:
        return watch.trouble
    return "" if watch.last_delivery_at else NO_DELIVERY
