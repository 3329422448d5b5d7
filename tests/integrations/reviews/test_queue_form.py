"""Tests of the cached filters and bulk actions of the queue."""

from integrations.reviews.forms.queue import FILTER_FIELDS, parse_filters, render_bulk_controls
from portal.accounts.models import User
from tests.portal import pseudo_language


def test_filters_are_cached_per_language() -> None:
    nothing = ("",) * len(FILTER_FIELDS)
    in_english = parse_filters(nothing)[1]
    with pseudo_language.activate_pseudo_language():
        in_another = parse_filters(nothing)[1]
    assert ("Responsible party" in in_english, "⟦Responsible party⟧" in in_another) == (True, True)
    assert parse_filters(nothing)[1] == in_english


def test_bulk_actions_are_cached_per_language_and_list_current_reviewers(rita: User) -> None:
    before = render_bulk_controls()
    User.objects.filter(pk=rita.pk).update(name="Rita <Renamed>")
    after = render_bulk_controls()
    with pseudo_language.activate_pseudo_language():
        in_another = render_bulk_controls()
    assert ("Renamed" in before, ">Rita &lt;Renamed&gt;</option>" in after) == (False, True)
    assert ("Select a reviewer" in after, "⟦Select a reviewer⟧" in in_another) == (True, True)
