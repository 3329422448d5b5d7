"""Tests that pages show labels instead of internal values and keys."""

from collections.abc import Callable

import pytest

from tests.portal.crawl import Crawl
from tests.portal.machine_words import list_machine_words

pytestmark = pytest.mark.any_database

# Pages that show names of the API, a schema, a message, or (for operators) the log.
OF_CODE_PAGES = {
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
def test_no_page_shows_a_machine_word(crawl: Callable[[str], Crawl], role: str) -> None:
    answers = {name: answer for name, answer in crawl(role).shown.items() if name not in OF_CODE_PAGES}
    pages = {name: answer.text.partition("<html") for name, answer in answers.items() if answer.code == "200"}
    found = {name: list_machine_words(f"<html{page}") for name, (_head, mark, page) in pages.items() if mark}
    assert {name: words for name, words in found.items() if words} == {}


def test_machine_words_are_found_outside_code() -> None:
    page = "<p>The check is not_run.</p><code>on_notice</code><p title='third_party'>Not run</p>"
    assert list_machine_words(page) == {"not_run"}
