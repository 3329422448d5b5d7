"""Tests that the home page of a large company reads little, by the query plan of SQLite."""

from typing import Any

import pytest

from integrations.submissions.selectors.responsibility import list_by_responsible_party

pytestmark = pytest.mark.any_database


def test_order_of_the_home_page_is_read_from_an_index(acme: Any) -> None:
    keys = list_by_responsible_party([acme], [acme]).values_list("pk")
    assert "COVERING INDEX integration_partner_blocks" in keys.explain()
