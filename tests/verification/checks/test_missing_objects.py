"""Tests of objects that a source doesn't find: the first time, again, and for legal reasons."""

import pytest

from integrations.submissions.models import Finding, Integration
from tests.conftest import NOW
from tests.verification.checks.check_runs import DAY, HOUR, KEY, look, newest, state
from verification.checks.models import Observation
from verification.checks.services import observations
from verification.sources.errors import LegallyWithheldError, SourceNotFoundError, SourceUnavailableError

pytestmark = pytest.mark.any_database


def build_not_found_error():
    return SourceNotFoundError("GitHub doesn't show the repository. It doesn't exist or isn't public.")


def test_first_not_found_of_a_listed_one_is_a_warning(listed_provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    look(listed_provider, NOW + 2 * HOUR)
    assert state(listed_provider).status == "warn"
    assert newest(listed_provider).summary.startswith("We haven't been able to see it since Tue, Apr 14, 11:00 AM UTC.")
    assert not Finding.objects.exists()


def test_second_not_found_a_day_later_counts(listed_provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    for hours, status in ((2, "warn"), (25, "warn"), (26, "fail")):
        look(listed_provider, NOW + hours * HOUR)
        assert state(listed_provider).status == status
    assert Finding.objects.get().requirement_id == state(listed_provider).requirement_id


def test_seen_again_begins_again(listed_provider, stubs):
    for hours in (2, 30):
        stubs.said[KEY] = build_not_found_error()
        look(listed_provider, NOW + hours * HOUR)
        stubs.said.clear()
        look(listed_provider, NOW + (hours + 1) * HOUR)
    assert not Finding.objects.exists()
    assert (
        Observation.objects.get(integration=listed_provider, key=observations.LAST_SEEN_PREFIX + KEY).missing_since
        is None
    )


def test_outage_between_two_not_founds_says_nothing(listed_provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    look(listed_provider, NOW + 2 * HOUR)
    stubs.said[KEY] = SourceUnavailableError("Down.")
    look(listed_provider, NOW + 40 * HOUR)
    assert state(listed_provider).status == "warn"


def test_first_not_found_before_the_release_is_neither_a_pass_nor_a_fail(provider, stubs):
    look(provider, NOW)
    stubs.said[KEY] = build_not_found_error()
    for hours, status in ((1, "not_run"), (24, "not_run"), (25, "fail")):
        look(provider, NOW + hours * HOUR)
        assert (state(provider).status, state(provider).is_met(NOW + hours * HOUR)) == (status, False)


def test_what_the_law_withholds_is_a_persons_and_holds_a_listed_one(listed_provider, stubs):
    stubs.said[KEY] = LegallyWithheldError("GitHub withholds the repository for legal reasons (451).")
    for days in (1, 2):
        look(listed_provider, NOW + days * DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    assert (
        newest(listed_provider).summary
        == "A reviewer decides: GitHub withholds the repository for legal reasons (451)."
    )
    assert (row.on_hold_for, row.hold_reason) == ("program", "GitHub withholds the repository for legal reasons (451).")
    assert not Finding.objects.exists()


def test_not_found_of_one_that_was_never_seen_fails(provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    look(provider, NOW)
    assert state(provider).status == "fail"
