"""Tests that pages show labels instead of internal values and keys."""

from collections.abc import Callable

import pytest

from tests.portal.crawl import Crawl
from tests.portal.internal_values import find_internal_values

pytestmark = pytest.mark.any_database

# Pages that show names of the API, a schema, a message, or (for operators) the log.
CODE_PAGES = {
    "api:docs",
    "api:docs_group",
    "schemas:crds",
    "inbox:audit_log",
    "status:index",
    "styleguide:styleguide",
    "webhooks:delivery",
    "webhooks:event_types",
}


@pytest.mark.parametrize("role", ["alice", "rita", "sam"])
def test_pages_show_no_internal_values(crawl: Callable[[str], Crawl], role: str) -> None:
    answers = {name: answer for name, answer in crawl(role).get_responses.items() if name not in CODE_PAGES}
    pages = {name: answer.text.partition("<html") for name, answer in answers.items() if answer.code == "200"}
    found = {name: find_internal_values(f"<html{page}") for name, (_head, mark, page) in pages.items() if mark}
    assert {name: words for name, words in found.items() if words} == {}


def test_internal_values_are_found_outside_code() -> None:
    page = "<p>The check is not_run.</p><code>on_notice</code><p title='third_party'>Not run</p>"
    assert find_internal_values(page) == {"not_run"}
