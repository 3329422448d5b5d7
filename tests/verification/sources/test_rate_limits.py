"""Tests of GitHub rate limits and of the share for interactive requests."""

from datetime import timedelta

import pytest

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
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


class Clock:
    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def disabled_names():
    names = []

    def record(sender, *, rate_limit, **_):
        names.append(rate_limit.name)

    credential_disabled.connect(record)
    yield names
    credential_disabled.disconnect(record)


def headers(remaining, reset, limit=5000):
    return {
        "x-ratelimit-limit": str(limit),
        "x-ratelimit-remaining": str(remaining),
        "x-ratelimit-reset": str(int(reset.timestamp())),
    }


def refused_until(gate):
    with pytest.raises(SourceUnavailableError) as refusal:
        gate.before()
    return refusal.value.retry_at


def test_ten_thousand_questions_stay_within_the_budget_of_an_hour(clock):
    gate = GitHubRateLimiter("token", 50, background=True, clock=clock)
    request_count = 0
    for _ in range(10_000 // 50):
        try:
            gate.before()
        except SourceUnavailableError:
            continue
        request_count += 1
    assert request_count == 25
    assert refused_until(gate) == NOW + rate_limits.HOUR


def test_people_have_the_half_that_the_night_leaves(clock):
    night, person = (
        GitHubRateLimiter("token", 10, background=True, clock=clock),
        GitHubRateLimiter("token", 10, clock=clock),
    )
    for _ in range(5):
        night.before()
    assert refused_until(night) == NOW + rate_limits.HOUR
    for _ in range(5):
        person.before()
    assert refused_until(person) == NOW + rate_limits.HOUR
    clock.now += rate_limits.HOUR
    night.before()
    assert GitHubRateLimit.objects.get().spent == 1


def test_used_up_limit_is_left_alone_until_its_reset(clock):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    gate.before()
    gate.after(200, headers(0, NOW + 10 * MINUTE))
    assert refused_until(gate) == NOW + 10 * MINUTE
    clock.now = NOW + 10 * MINUTE
    gate.before()


def test_one_credentials_limit_is_not_the_others(clock):
    first, second = GitHubRateLimiter("one", 60, clock=clock), GitHubRateLimiter("two", 60, clock=clock)
    first.before()
    first.after(200, headers(0, NOW + MINUTE, 60))
    second.before()
    assert refused_until(first) == NOW + MINUTE


def test_older_answer_of_the_same_hour_gives_nothing_back(clock):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    for remaining in (10, 12, 11):
        gate.after(200, headers(remaining, NOW + MINUTE))
    assert GitHubRateLimit.objects.get().remaining == 10


def test_answer_that_did_not_change_costs_nothing(clock):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    gate.before()
    gate.after(304, {})
    assert GitHubRateLimit.objects.get().spent == 0


def test_retry_after_is_obeyed_to_the_second(clock):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    with pytest.raises(SourceUnavailableError) as refusal:
        gate.after(403, {"retry-after": "90"})
    assert refusal.value.retry_at == NOW + 90 * SECOND
    clock.now = NOW + 89 * SECOND
    assert refused_until(gate) == NOW + 90 * SECOND
    clock.now = NOW + 90 * SECOND
    gate.before()


@pytest.mark.every_database
def test_secondary_limit_without_a_figure_doubles_and_stops_after_six(clock, disabled_names):
    gate, waits = GitHubRateLimiter("token", 5000, clock=clock), []
    for _ in range(6):
        with pytest.raises(SourceUnavailableError) as refusal:
            gate.after(403, {}, "you have exceeded a secondary rate limit")
        waits.append((refusal.value.retry_at - clock.now).total_seconds())
        clock.now = refusal.value.retry_at
    assert waits == [60, 120, 240, 480, 960, 1920]
    assert disabled_names == ["token"]
    with pytest.raises(SourceUnavailableError, match="no longer accepts"):
        gate.before()


def test_good_answer_forgets_the_strikes(clock):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    with pytest.raises(SourceUnavailableError):
        gate.after(429, {})
    gate.after(200, {})
    assert GitHubRateLimit.objects.get().strikes == 0


@pytest.mark.every_database
def test_refused_token_is_dead_at_once_and_reported_once(clock, disabled_names):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    for _ in range(2):
        with pytest.raises(SourceUnavailableError):
            gate.after(401, {})
    with pytest.raises(SourceUnavailableError):
        gate.before()
    assert (len(disabled_names), gate.is_dead(), GitHubRateLimit.objects.get().spent) == (1, True, 0)


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
def test_what_counts_as_a_limit(status, headers, message, expected):
    assert is_rate_limited(status, headers, message) is expected


@pytest.mark.every_database
@pytest.mark.parametrize("text", ["", "soon", "-5", "1e9", "9" * 40, "99999999999"])
def test_nonsense_in_a_header_stops_nothing(clock, text):
    gate = GitHubRateLimiter("token", 5000, clock=clock)
    gate.after(200, {"x-ratelimit-limit": text, "x-ratelimit-remaining": text, "x-ratelimit-reset": text})
    with pytest.raises(SourceUnavailableError):
        gate.after(403, {"retry-after": text, "x-ratelimit-reset": text})
    row = GitHubRateLimit.objects.get()
    assert calculate_blocked_until(row, False, NOW) <= NOW + rate_limits.MAX_WAIT
