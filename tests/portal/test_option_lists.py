"""Tests that no form offers hundreds of options, however many companies and integrations there are."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.bench import growth, growth_world

pytestmark = pytest.mark.any_database
INTEGRATIONS, ACME_EVERY = 4_400, 15  # over 200 companies, and over 200 integrations of Acme
MAX_OPTIONS = 200
CONSTANT_LISTS = {"zone", "country"}  # time zones and countries, which don't grow
LIST = re.compile(r"<(select|datalist)\b([^>]*)>(.*?)</\1>", re.DOTALL)
CHOICE = re.compile(r'<input\b[^>]*\btype="(?:checkbox|radio)"[^>]*>')
NAME = re.compile(r'\b(?:name|id)="([^"]*)"')


@pytest.fixture(scope="module")
def large_world(once: Callable[[Callable[[], Any]], dict[str, Any]]) -> dict[str, Any]:
    def build() -> growth_world.World:
        world = growth_world.build()
        growth_world.fill(world, INTEGRATIONS, acme_every=ACME_EVERY)
        return world

    return once(build)


def count_options(page: str) -> Iterator[tuple[str, int]]:
    """Yield the name and the number of options of each list of a page."""
    for _tag, attributes, options in LIST.findall(page):
        yield NAME.search(attributes)[1], options.count("<option")  # type: ignore[index]
    yield from Counter(NAME.search(choice)[1] for choice in CHOICE.findall(page)).items()  # type: ignore[index]


def test_options_are_counted_by_list() -> None:
    page = '<select class="s" name="a"><option><option></select><input type="radio" name="b"><input type="text">'
    assert dict(count_options(page)) == {"a": 2, "b": 1}


def test_lists_of_options_do_not_grow(large_world: dict[str, Any], db: None, settings: Any) -> None:
    settings.MEDIA_ROOT = large_world["folder"]
    counts: dict[str, int] = {}
    for (name, role), visit in growth.list_visits(large_world, ["alice", "rita", "sam"]).items():
        answer = None if name.startswith("api ") else growth.measure_seconds(visit)[1]
        if answer and answer.headers.get("Content-Type", "").startswith("text/html"):
            counts |= {f"{name} {role} {field}": count for field, count in count_options(answer.text)}
    is_long = {key: count for key, count in counts.items() if count > MAX_OPTIONS}
    assert {key.split()[-1] for key in is_long} == CONSTANT_LISTS
    assert len(counts) > 100
