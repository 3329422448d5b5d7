"""Are the filters of the queue, which are kept between requests, those of the reader's language?"""

from integrations.reviews.forms.queue import FILTERS, filters_of
from tests.portal import pseudo


def test_filters_are_kept_for_each_language_by_itself() -> None:
    nothing = ("",) * len(FILTERS)
    in_english = filters_of(nothing)[1]
    with pseudo.spoken():
        in_another = filters_of(nothing)[1]
    assert ("Whose turn" in in_english, "⟦Whose turn⟧" in in_another) == (True, True)
    assert filters_of(nothing)[1] == in_english
