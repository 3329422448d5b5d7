"""Tests of the summary of check results on a listing page."""

from portal.directory.listing_page import CheckSummary


def test_check_that_could_not_be_completed_is_not_counted_as_failed() -> None:
    lines = [("License", "pass", None), ("Language", "fail", None), ("Code checks", "error", None)]
    assert CheckSummary(lines, []).summary == "1 passed, 1 not passed, 1 couldn't be completed"
