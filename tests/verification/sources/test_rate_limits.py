"""Tests of GitHub rate limits and of the share for interactive requests."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.conftest import NOW
from verification.sources import rate_limits
from verification.sources.errors import SourceUnavailableError
from verification.sources.models import GitHubRateLimit
from verification.sources.rate_limits import (
    GitHubRateLimiter,
    calculate_blocked_until,
    credential_disabled,
    is_rate_limited,
)

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


class Clock:
    def __init__(self, time_machine):
        self._time_machine = time_machine
        self.now = NOW

    @property
    def now(self):
        return timezone.now()

    @now.setter
    def now(self, value):
        self._time_machine.move_to(value, tick=False)


@pytest.fixture
def clock(time_machine):
    return Clock(time_machine)


@pytest.fixture
def disabled_names():
    names = []

    def record(sender, *, rate_limit, **_):
        names.append(rate_limit.name)

    credential_disabled.connect(record)
    yield names
    credential_disabled.disconnect(record)


def build_headers(remaining, reset, limit=5000):
    return {
        "x-ratelimit-limit": str(limit),
        "x-ratelimit-remaining": str(remaining),
        "x-ratelimit-reset": str(int(reset.timestamp())),
    }


def get_retry_at(limiter):
    with pytest.raises(SourceUnavailableError) as refusal:
        limiter.count_request()
    return refusal.value.retry_at


def test_background_requests_stop_at_half_of_the_limit(clock):
    limiter = GitHubRateLimiter("token", 50, background=True)
    request_count = 0
    for _ in range(200):
        try:
            limiter.count_request()
        except SourceUnavailableError:
            continue
        request_count += 1
    assert request_count == 25
    assert get_retry_at(limiter) == NOW + rate_limits.HOUR


def test_interactive_requests_have_the_other_half_of_the_limit(clock):
    background = GitHubRateLimiter("token", 10, background=True)
    interactive = GitHubRateLimiter("token", 10)
    for _ in range(5):
        background.count_request()
    assert get_retry_at(background) == NOW + rate_limits.HOUR
    for _ in range(5):
        interactive.count_request()
    assert get_retry_at(interactive) == NOW + rate_limits.HOUR
    clock.now += rate_limits.HOUR
    background.count_request()
    assert GitHubRateLimit.objects.get().request_count == 1


def test_exhausted_limit_blocks_until_its_reset(clock):
    limiter = GitHubRateLimiter("token", 5000)
    limiter.count_request()
    limiter.record_response(200, build_headers(0, NOW + 10 * MINUTE))
    assert get_retry_at(limiter) == NOW + 10 * MINUTE
    clock.now = NOW + 10 * MINUTE
    limiter.count_request()


def test_limits_of_credentials_are_separate(clock):
    first = GitHubRateLimiter("one", 60)
    second = GitHubRateLimiter("two", 60)
    first.count_request()
    first.record_response(200, build_headers(0, NOW + MINUTE, 60))
    second.count_request()
    assert get_retry_at(first) == NOW + MINUTE


def test_older_response_does_not_raise_the_remaining_requests(clock):
    limiter = GitHubRateLimiter("token", 5000)
    for remaining in (10, 12, 11):
        limiter.record_response(200, build_headers(remaining, NOW + MINUTE))
    assert GitHubRateLimit.objects.get().remaining == 10


def test_not_modified_response_costs_nothing(clock):
    limiter = GitHubRateLimiter("token", 5000)
    limiter.count_request()
    limiter.record_response(304, {})
    assert GitHubRateLimit.objects.get().request_count == 0


def test_retry_after_is_obeyed_to_the_second(clock):
    limiter = GitHubRateLimiter("token", 5000)
    with pytest.raises(SourceUnavailableError) as refusal:
        limiter.record_response(403, {"retry-after": "90"})
    assert refusal.value.retry_at == NOW + 90 * SECOND
    clock.now = NOW + 89 * SECOND
    assert get_retry_at(limiter) == NOW + 90 * SECOND
    clock.now = NOW + 90 * SECOND
    limiter.count_request()


@pytest.mark.every_database
def test_secondary_limit_doubles_the_wait_and_disables_after_six(clock, disabled_names):
    limiter = GitHubRateLimiter("token", 5000)
    waits = []
    for _ in range(6):
        with pytest.raises(SourceUnavailableError) as refusal:
            limiter.record_response(403, {}, "you have exceeded a secondary rate limit")
        waits.append((refusal.value.retry_at - clock.now).total_seconds())
        clock.now = refusal.value.retry_at
    assert waits == [60, 120, 240, 480, 960, 1920]
    assert disabled_names == ["token"]
    with pytest.raises(SourceUnavailableError, match="no longer accepts"):
        limiter.count_request()


def test_responses_to_parallel_requests_are_one_strike(clock, disabled_names):
    limiter = GitHubRateLimiter("token", 5000)
    for _ in range(6):
        with pytest.raises(SourceUnavailableError) as refusal:
            limiter.record_response(429, {})
        assert refusal.value.retry_at == NOW + MINUTE
    assert (GitHubRateLimit.objects.get().strikes, disabled_names) == (1, [])


def test_later_response_does_not_shorten_the_pause(clock):
    limiter = GitHubRateLimiter("token", 5000)
    for seconds in ("3600", "1"):
        with pytest.raises(SourceUnavailableError) as refusal:
            limiter.record_response(429, {"retry-after": seconds})
        assert refusal.value.retry_at == NOW + rate_limits.HOUR


def test_limit_of_zero_does_not_block_requests_for_good(clock):
    limiter = GitHubRateLimiter("token", 5000)
    limiter.record_response(200, build_headers(0, NOW + MINUTE, limit=0))
    clock.now += rate_limits.HOUR
    limiter.count_request()
    assert GitHubRateLimit.objects.get().request_count == 1


def test_successful_response_resets_the_strikes(clock):
    limiter = GitHubRateLimiter("token", 5000)
    with pytest.raises(SourceUnavailableError):
        limiter.record_response(429, {})
    limiter.record_response(200, {})
    assert GitHubRateLimit.objects.get().strikes == 0


@pytest.mark.every_database
def test_rejected_token_is_disabled_at_once_and_reported_once(clock, disabled_names):
    limiter = GitHubRateLimiter("token", 5000)
    for _ in range(2):
        with pytest.raises(SourceUnavailableError):
            limiter.record_response(401, {})
    with pytest.raises(SourceUnavailableError):
        limiter.count_request()
    assert (len(disabled_names), limiter.is_disabled(), GitHubRateLimit.objects.get().request_count) == (1, True, 0)


@pytest.mark.parametrize(
    ("status", "headers", "message", "expected"),
    [
        (403, {}, "resource not accessible by integration", False),
        (403, {"x-ratelimit-remaining": "17"}, "", False),
        (403, {"x-ratelimit-remaining": "0"}, "", True),
        (403, {"retry-after": "60"}, "", True),
        (403, {}, "you have triggered an abuse detection mechanism", True),
        (429, {}, "", True),
        (404, {"x-ratelimit-remaining": "0"}, "", False),
        (200, {"x-ratelimit-remaining": "0"}, "", False),
    ],
)
def test_rate_limit_is_recognized(status, headers, message, expected):
    assert is_rate_limited(status, headers, message) is expected


@pytest.mark.every_database
@pytest.mark.parametrize("text", ["", "soon", "-5", "1e9", "9" * 40, "99999999999"])
def test_invalid_header_blocks_for_the_maximum_at_most(clock, text):
    limiter = GitHubRateLimiter("token", 5000)
    limiter.record_response(200, {"x-ratelimit-limit": text, "x-ratelimit-remaining": text, "x-ratelimit-reset": text})
    with pytest.raises(SourceUnavailableError):
        limiter.record_response(403, {"retry-after": text, "x-ratelimit-reset": text})
    row = GitHubRateLimit.objects.get()
    assert calculate_blocked_until(row, False, NOW) <= NOW + rate_limits.MAX_WAIT
