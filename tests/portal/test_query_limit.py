"""Tests that no page needs many queries for any role. `api/test_api_access.py` does the same for operations."""

from collections.abc import Callable

import pytest

from tests.portal.crawl import Crawl
from tests.portal.rollback_requests import MAX_QUERIES
from tests.portal.sample_objects import ROLES

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize("role", ROLES)
def test_page_needs_few_queries(role: str, crawl: Callable[[str], Crawl]) -> None:
    answers = crawl(role).get_responses
    assert {name: answer.query_count for name, answer in answers.items() if answer.query_count > MAX_QUERIES} == {}
