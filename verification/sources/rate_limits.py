"""GitHub rate limits: one row per credential, shared by every process.

GitHub's response headers decide how many requests remain and how long to wait. Background requests get half of an
hour's limit, so that the rest is available when someone waits. A credential that GitHub refuses is no longer used, and
its signal is sent once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from verification.sources.errors import GitHubUnavailableError
from verification.sources.github.requester import RateLimiter
from verification.sources.models import GitHubRateLimit

HOUR = timedelta(hours=1)
RESERVED_SHARE = 0.5  # of an hour's requests, for requests that someone waits for
INITIAL_WAIT = timedelta(seconds=60)
MAX_STRIKES = 6
MAX_WAIT = timedelta(days=1)
MAX_REQUESTS_PER_HOUR = 1_000_000  # larger values in a response are ignored
LIMIT_MESSAGE = "We reached GitHub's rate limit."
LIMIT_PHRASES = ("rate limit", "abuse detection")

# Sent with `rate_limit` for a credential that must no longer be used, in the transaction that marks it.
credential_disabled = Signal()


@dataclass(frozen=True)
class GitHubRateLimiter(RateLimiter):
    """Rate limiter of one credential. `limit`: requests per hour until GitHub reports its own limit.

    `background`: no one waits for the response.
    """

    name: str
    limit: int
    background: bool = False

    def count_request(self) -> None:
        """Count one request. Raises SourceUnavailableError with the time of the next possible request."""
        now = timezone.now()
        with transaction.atomic():
            rate_limit = self._load_rate_limit(now)
            if now >= rate_limit.window_started_at + HOUR:
                rate_limit.window_started_at = now
                rate_limit.request_count = 0
            blocked_until = calculate_blocked_until(rate_limit, self.background, now)
            if rate_limit.disabled_at is None and blocked_until is None:
                rate_limit.request_count += 1
                rate_limit.save()
                return
        if rate_limit.disabled_at is not None:
            raise GitHubUnavailableError("GitHub no longer accepts the portal's credential. We notified our staff.")
        raise GitHubUnavailableError(LIMIT_MESSAGE, blocked_until)

    def record_response(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        """Record the limits of a response. Raises SourceUnavailableError for a limit or a rejected credential."""
        now = timezone.now()
        with transaction.atomic():
            rate_limit = self._load_rate_limit(now)
            _apply_headers(rate_limit, headers, now)
            is_limited = is_rate_limited(status, headers, message)
            if status == 304:
                rate_limit.request_count = max(rate_limit.request_count - 1, 0)  # costs nothing
            if is_limited:
                _block_requests(rate_limit, headers, now)
            elif status < 400:
                rate_limit.strikes = 0
            if status == 401 and self.name != "anonymous":
                _disable(rate_limit, "GitHub doesn't accept the credential.", now)
            rate_limit.save()
        if status == 401:
            raise GitHubUnavailableError("GitHub doesn't accept the portal's token. We notified our staff.")
        if is_limited:
            raise GitHubUnavailableError(LIMIT_MESSAGE, rate_limit.blocked_until)

    def get_blocked_until(self) -> datetime | None:
        """Return when the next request is possible, or None if one is possible now."""
        rate_limit = GitHubRateLimit.objects.filter(name=self.name).first()
        return calculate_blocked_until(rate_limit, self.background, timezone.now()) if rate_limit else None

    def is_disabled(self) -> bool:
        return GitHubRateLimit.objects.filter(name=self.name).exclude(disabled_at=None).exists()

    def _load_rate_limit(self, now: datetime) -> GitHubRateLimit:
        GitHubRateLimit.objects.get_or_create(name=self.name, defaults={"limit": self.limit, "window_started_at": now})
        # Locked, because all processes count in the same row.
        return GitHubRateLimit.objects.select_for_update().get(name=self.name)


def calculate_blocked_until(rate_limit: GitHubRateLimit, background: bool, now: datetime) -> datetime | None:
    """Return the end of the pause, or None if requests are allowed."""
    waits = []
    if rate_limit.blocked_until and rate_limit.blocked_until > now:
        waits.append(rate_limit.blocked_until)
    if rate_limit.remaining == 0 and rate_limit.reset_at and rate_limit.reset_at > now:
        waits.append(rate_limit.reset_at)
    if rate_limit.request_count >= int(rate_limit.limit * (1 - RESERVED_SHARE if background else 1)):
        waits.append(rate_limit.window_started_at + HOUR)
    return max(waits, default=None)


def is_rate_limited(status: int, headers: Mapping[str, str], message: str) -> bool:
    """Return whether GitHub refuses because of a limit. A 403 without its marks is a plain refusal."""
    has_limit_headers = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    mentions_limit = any(phrase in message.lower() for phrase in LIMIT_PHRASES)
    return status == 429 or (status == 403 and (has_limit_headers or mentions_limit))


def _apply_headers(rate_limit: GitHubRateLimit, headers: Mapping[str, str], now: datetime) -> None:
    """Apply GitHub's numbers. Of two responses of the same hour, the one with fewer remaining requests is newer."""
    names = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
    limit, remaining, reset = (_parse_number_header(headers, name) for name in names)
    # A limit of 0 would stop all requests for good, because only a response can change it.
    if not limit or remaining is None or reset is None:
        return
    reset_at = min(_parse_timestamp(reset), now + MAX_WAIT)
    if rate_limit.reset_at == reset_at and rate_limit.remaining is not None:
        remaining = min(remaining, rate_limit.remaining)
    rate_limit.limit = min(limit, MAX_REQUESTS_PER_HOUR)
    rate_limit.remaining = min(remaining, MAX_REQUESTS_PER_HOUR)
    rate_limit.reset_at = reset_at


def _block_requests(rate_limit: GitHubRateLimit, headers: Mapping[str, str], now: datetime) -> None:
    """Pause for as long as GitHub says, else for a minute, doubled each time. Disable the credential in the end."""
    wait = _parse_number_header(headers, "retry-after")
    reset = _parse_number_header(headers, "x-ratelimit-reset")
    # Requests that other processes sent before the pause get the same answer, which is no further strike.
    is_strike = rate_limit.blocked_until is None or rate_limit.blocked_until <= now
    if wait is not None:
        end = now + min(max(timedelta(seconds=wait), timedelta(seconds=1)), MAX_WAIT)
    # Using up an hour's requests is normal and isn't a strike. GitHub bans integrations that ignore secondary limits.
    elif headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        end = min(max(_parse_timestamp(reset), now + timedelta(seconds=1)), now + MAX_WAIT)
        is_strike = False
    else:
        end = now + (INITIAL_WAIT * 2**rate_limit.strikes if is_strike else INITIAL_WAIT)
    rate_limit.blocked_until = max(end, rate_limit.blocked_until or end)
    if not is_strike:
        return
    rate_limit.strikes += 1
    if rate_limit.strikes >= MAX_STRIKES:
        _disable(rate_limit, f"GitHub asked us to slow down {MAX_STRIKES} times in a row.", now)


def _disable(rate_limit: GitHubRateLimit, reason: str, now: datetime) -> None:
    if rate_limit.disabled_at is None:
        rate_limit.disabled_at = now
        rate_limit.disabled_reason = reason
        credential_disabled.send(GitHubRateLimit, rate_limit=rate_limit)


def _parse_number_header(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name, "")
    return int(float(text)) if text.replace(".", "", 1).isdecimal() and len(text) < 13 else None


def _parse_timestamp(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.max.replace(tzinfo=UTC)
