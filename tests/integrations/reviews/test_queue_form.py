"""Tests of the cached queue filters."""

from integrations.reviews.forms.queue import FILTER_FIELDS, parse_filters
from tests.portal import pseudo


def test_filters_are_kept_for_each_language_by_itself() -> None:
    nothing = ("",) * len(FILTER_FIELDS)
    in_english = parse_filters(nothing)[1]
    with pseudo.activate_pseudo_language():
        in_another = parse_filters(nothing)[1]
    assert ("Responsible party" in in_english, "⟦Responsible party⟧" in in_another) == (True, True)
    assert parse_filters(nothing)[1] == in_english
