"""Tests of the parts of a digest."""

from integrations.submissions import digests
from portal.accounts.models import User
from tests.portal import pseudo_language


def test_part_about_the_account_is_translated() -> None:
    with pseudo_language.activate_pseudo_language():
        name, _page = digests.describe_part(User(), None)
    assert name == "⟦Your account⟧"
