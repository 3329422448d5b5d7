"""Cache of HTTP responses for conditional requests."""

import json
import zlib
from datetime import datetime, timedelta

from django.utils import timezone

from verification.sources.github.api import CachedResponse, ResponseCache
from verification.sources.models import HttpCacheEntry

MAX_CACHED_BYTES = 4 * 1024 * 1024  # uncompressed; longer responses are not cached
UNUSED_AFTER = timedelta(days=40)


class HttpCache(ResponseCache):
    """Cached responses of one source. `source` separates the URLs of different sources."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get(self, address: str) -> CachedResponse | None:
        """Return the cached response of a URL, or None if it is missing or unreadable."""
        entry = HttpCacheEntry.objects.filter(address=self._build_key(address)).first()
        if entry is None:
            return None
        try:
            value = json.loads(zlib.decompress(bytes(entry.body)))
        except (ValueError, zlib.error, RecursionError):
            return None
        return CachedResponse(value, entry.etag, entry.final)

    def put(self, address: str, etag: str, value: object, *, final: bool = False) -> None:
        """Store a response. Responses that are not final need an ETag."""
        key = self._build_key(address)
        content = json.dumps(value).encode()
        # The older entry has to go: its ETag would confirm a response that isn't the last one.
        if not (etag or final) or len(key) > 500 or len(etag) > 200 or len(content) > MAX_CACHED_BYTES:
            HttpCacheEntry.objects.filter(address=key).delete()
            return
        now = timezone.now()
        fields = {"etag": etag, "body": zlib.compress(content), "final": final, "at": now, "confirmed_at": now}
        HttpCacheEntry.objects.update_or_create(address=key, defaults=fields)

    def confirm(self, address: str) -> None:
        HttpCacheEntry.objects.filter(address=self._build_key(address)).update(confirmed_at=timezone.now())

    def clear(self) -> None:
        """Delete the responses of this source."""
        HttpCacheEntry.objects.filter(address__startswith=self._build_key("")).delete()

    def _build_key(self, address: str) -> str:
        return f"{self.source} {address}"


def forget_unused(now: datetime, limit: int = 1000) -> int:
    """Delete responses that were not used for a long time. Return the number of deleted rows."""
    expired_entries = HttpCacheEntry.objects.filter(confirmed_at__lt=now - UNUSED_AFTER)
    expired_ids = list(expired_entries.values_list("pk", flat=True)[:limit])
    return HttpCacheEntry.objects.filter(pk__in=expired_ids).delete()[0]
