"""Cache of HTTP responses for conditional requests."""

import json
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from verification.sources.models import HttpCacheEntry

MAX_CACHED_BYTES = 4 * 1024 * 1024  # of text: what is longer is asked for again
UNUSED_AFTER = timedelta(days=40)


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """An answer as it was kept. `final`: it cannot change, so there is nothing to ask."""

    value: Any
    etag: str
    final: bool
    confirmed_at: datetime


class HttpCache:
    """The kept answers of one source; `source` keeps the addresses of two sources apart."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get(self, address: str) -> CachedResponse | None:
        """What was kept of the address; None too where it cannot be read any more."""
        entry = HttpCacheEntry.objects.filter(address=self._build_key(address)).first()
        if entry is None:
            return None
        try:
            value = json.loads(zlib.decompress(bytes(entry.body)))
        except (ValueError, zlib.error, RecursionError):
            return None
        return CachedResponse(value, entry.etag, entry.final, entry.confirmed_at)

    def put(self, address: str, etag: str, value: Any, *, final: bool = False) -> None:
        """Keep an answer. One without an ETag that may change is not worth it."""
        key, content = self._build_key(address), json.dumps(value).encode()
        if not (etag or final) or len(key) > 500 or len(etag) > 200 or len(content) > MAX_CACHED_BYTES:
            HttpCacheEntry.objects.filter(address=key).delete()
            return
        now = timezone.now()
        fields = {"etag": etag, "body": zlib.compress(content), "final": final, "at": now, "confirmed_at": now}
        HttpCacheEntry.objects.update_or_create(address=key, defaults=fields)

    def confirm(self, address: str) -> None:
        """The source said that it has not changed."""
        HttpCacheEntry.objects.filter(address=self._build_key(address)).update(confirmed_at=timezone.now())

    def _build_key(self, address: str) -> str:
        return f"{self.source} {address}"


def forget_unused(now: datetime, limit: int = 1000) -> int:
    """Drop what nobody has asked for in a long time. Returns how many rows went."""
    expired_ids = HttpCacheEntry.objects.filter(confirmed_at__lt=now - UNUSED_AFTER).values_list("pk", flat=True)[
        :limit
    ]
    return HttpCacheEntry.objects.filter(pk__in=list(expired_ids)).delete()[0]
