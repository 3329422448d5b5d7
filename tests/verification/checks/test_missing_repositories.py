"""Tests of repositories that GitHub doesn't show: once, for a day, and for legal reasons."""

import pytest

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from tests.conftest import NOW
from tests.verification.checks.check_runs import DAY, HOUR, KEY, get_fulfillment, get_newest_result, run_checks
from verification.checks.models import Observation
from verification.checks.services import observations
from verification.outcomes import Outcome
from verification.sources.errors import (
    LegallyWithheldError,
    MissingVersionError,
    SourceNotFoundError,
    SourceUnavailableError,
)

pytestmark = pytest.mark.any_database


def build_not_found_error():
    return SourceNotFoundError("GitHub doesn't show the repository. It doesn't exist or isn't public.")


def test_missing_repository_of_a_listed_integration_is_a_warning_at_first(listed_provider, stubs):
    stubs.answers[KEY] = build_not_found_error()
    run_checks(listed_provider, NOW + 2 * HOUR)
    assert get_fulfillment(listed_provider).status == "warn"
    assert get_newest_result(listed_provider).summary == (
        "GitHub doesn't show the repository. It doesn't exist or isn't public. We haven't been able to see it since "
        "Tue, Apr 14, 11:00 AM UTC. We check again before anything changes."
    )
    assert not Finding.objects.exists()


def test_repository_that_is_missing_for_a_day_fails(listed_provider, stubs):
    stubs.answers[KEY] = build_not_found_error()
    for hours, status in ((2, "warn"), (25, "warn"), (26, "fail")):
        run_checks(listed_provider, NOW + hours * HOUR)
        assert get_fulfillment(listed_provider).status == status
    assert Finding.objects.get().requirement_id == get_fulfillment(listed_provider).requirement_id


def test_version_that_is_missing_for_a_day_fails(listed_provider, stubs):
    """The registry lists the version, but returns 404 for it, which no retry ends."""
    stubs.answers[KEY] = MissingVersionError("The registry lists acme/rocket 1.2.0, but doesn't return it.")
    assert [run_checks(listed_provider, NOW + hours * HOUR) for hours in (2, 26)] == [None, None]
    result = get_newest_result(listed_provider)
    assert (result.outcome, result.summary.partition(" We ")[0]) == (
        Outcome.FAIL,
        "The registry lists acme/rocket 1.2.0, but doesn't return it.",
    )


def test_check_without_anything_to_check_keeps_its_result_for_a_day(listed_provider, stubs):
    """The registry's list of versions returns 404, so there is no signature to check."""
    stubs.set_result(KEY, Outcome.NOT_RUN, "Terraform reports: no acme/rocket", missing_item="acme/rocket")
    for hours, status in ((2, "warn"), (25, "warn"), (26, "not_run")):
        run_checks(listed_provider, NOW + hours * HOUR)
        assert get_fulfillment(listed_provider).status == status
    assert get_newest_result(listed_provider).summary == (
        "Terraform reports: no acme/rocket. We haven't been able to see it since Tue, Apr 14, 11:00 AM UTC."
    )


def test_day_starts_again_after_the_repository_was_visible(listed_provider, stubs):
    for hours in (2, 30):
        stubs.answers[KEY] = build_not_found_error()
        run_checks(listed_provider, NOW + hours * HOUR)
        stubs.answers.clear()
        run_checks(listed_provider, NOW + (hours + 1) * HOUR)
    assert not Finding.objects.exists()
    observation = Observation.objects.get(integration=listed_provider, key=observations.LAST_SEEN_PREFIX + KEY)
    assert observation.missing_since is None


def test_day_starts_again_after_the_check_failed_for_another_reason(provider, stubs):
    run_checks(provider, NOW)
    stubs.answers[KEY] = build_not_found_error()
    run_checks(provider, NOW + 2 * HOUR)
    stubs.set_result(KEY, Outcome.FAIL, "It is archived.")
    run_checks(provider, NOW + 3 * HOUR)
    stubs.answers[KEY] = build_not_found_error()
    run_checks(provider, NOW + 40 * HOUR)
    assert get_fulfillment(provider).status == "not_run"


def test_failure_does_not_end_because_its_object_is_missing_now(listed_provider, stubs):
    """Otherwise, deleting a faulty file would verify the finding, and the next failure would have a new due date."""
    stubs.set_result(KEY, Outcome.FAIL, "The signature is wrong.")
    run_checks(listed_provider, NOW + 2 * HOUR)
    stubs.answers[KEY] = SourceUnavailableError("Down.")
    run_checks(listed_provider, NOW + 3 * HOUR)
    stubs.answers[KEY] = build_not_found_error()
    run_checks(listed_provider, NOW + 4 * HOUR)
    finding = Finding.objects.get()
    assert (get_fulfillment(listed_provider).status, finding.state) == ("fail", Finding.State.OPEN)


def test_outage_while_the_repository_is_missing_keeps_the_warning(listed_provider, stubs):
    stubs.answers[KEY] = build_not_found_error()
    run_checks(listed_provider, NOW + 2 * HOUR)
    stubs.answers[KEY] = SourceUnavailableError("Down.")
    run_checks(listed_provider, NOW + 40 * HOUR)
    assert get_fulfillment(listed_provider).status == "warn"


def test_missing_repository_before_the_listing_is_not_run_for_a_day(provider, stubs):
    run_checks(provider, NOW)
    stubs.answers[KEY] = build_not_found_error()
    for hours, status in ((1, "not_run"), (24, "not_run"), (25, "fail")):
        run_checks(provider, NOW + hours * HOUR)
        fulfillment = get_fulfillment(provider)
        assert (fulfillment.status, fulfillment.is_met(NOW + hours * HOUR)) == (status, False)


def test_legally_withheld_repository_puts_a_listed_integration_on_hold(listed_provider, stubs):
    stubs.answers[KEY] = LegallyWithheldError("GitHub withholds the repository for legal reasons (451).")
    for days in (1, 2):
        run_checks(listed_provider, NOW + days * DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    summary = get_newest_result(listed_provider).summary
    assert summary == "A reviewer decides: GitHub withholds the repository for legal reasons (451)."
    assert (row.on_hold_for, row.hold_reason) == ("program", "GitHub withholds the repository for legal reasons (451).")
    assert not Finding.objects.exists()


def test_legally_withheld_repository_is_decided_once(listed_provider, stubs, rita):
    stubs.default_answer = LegallyWithheldError("GitHub withholds the repository for legal reasons (451).")
    run_checks(listed_provider, NOW + DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    # The owner didn't change, so there is no suspension without a notice.
    with pytest.raises(ActionRefused, match="no change of the repository owner"):
        perform_transition(row, "suspend_immediately", actor=rita, note="Withheld.", now=NOW + DAY)
    perform_transition(row, "resume", actor=rita, now=NOW + DAY)
    run_checks(listed_provider, NOW + 2 * DAY)
    assert Integration.objects.get(pk=listed_provider.pk).on_hold_for == ""


def test_repository_that_was_never_visible_fails(provider, stubs):
    stubs.answers[KEY] = build_not_found_error()
    run_checks(provider, NOW)
    assert get_fulfillment(provider).status == "fail"
