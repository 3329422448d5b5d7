"""Tests of words, matches, and their order."""

from typing import Any

import pytest

from integrations.partners.permissions import clear_cached_roles
from portal.search.models import Kind
from portal.search.queries import search
from portal.search.words import MAX_QUERY_WORDS, parse_query, split_words
from tests.conftest import create_integration
from tests.replay import replay_fixture


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("acme/terraform-provider_x", ["acme", "terraform", "provider", "x"]),
        ("Crème BRÛLÉE", ["creme", "brulee"]),
        ("Straße", ["strasse"]),
        ("Ракета 2", ["ракета", "2"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("हिन्दी", ["हिनदी"]),
        ("한국어 검색", split_words("한국어") + split_words("검색")),
        ("٣ 3", ["٣", "3"]),
        ("a'b\"c*(d) OR -e:^f", ["a", "b", "c", "d", "or", "e", "f"]),
        ("%_\\ \x00 \u202e", []),
        ("", []),
        ("x" * 500, ["x" * 64]),
    ],
)
def test_split_words_keeps_letters_marks_and_digits(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_parse_query_limits_distinct_words() -> None:
    assert parse_query("a a " + " ".join(map(str, range(50)))) == ["a", *map(str, range(MAX_QUERY_WORDS - 1))]


def find_titles(user: Any, query: str, **limits: int) -> list[str]:
    hits = search(user, query, **{"limit": 100} | limits)
    return [hit.title for hit in hits if hit.kind is Kind.INTEGRATION]


@pytest.fixture
@replay_fixture
def names(acme: Any, alice: Any) -> list[str]:
    names = ["Blue rocket", "Rocket launcher", "Rocket", "Pad", "Ракета Восток", "東京タワー", "हिन्दी सेवा", "Crème"]
    for number, name in enumerate(names):
        description = "Lands rockets, policies, and the parser." if name == "Pad" else "A tool."
        create_integration(
            acme, alice, name=name, description=description, repository=f"acme/x{number}", repository_id=number + 1
        )
    return names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rocket", ["Rocket", "Rocket launcher", "Blue rocket", "Pad"]),
        ("r", ["Rocket", "Rocket launcher", "Blue rocket", "Pad"]),
        ("launcher rocket", ["Rocket launcher"]),
        ("laun rock", ["Rocket launcher"]),
        ("rocket blue green", []),
        ("rockets", ["Pad", "Rocket", "Rocket launcher", "Blue rocket"]),
        ("ROCKET!!!", ["Rocket", "Rocket launcher", "Blue rocket", "Pad"]),
        ("ocket", []),
        ("ракета", ["Ракета Восток"]),
        ("вост", ["Ракета Восток"]),
        ("京タ", ["東京タワー"]),
        ("हिन्", ["हिन्दी सेवा"]),
        ("creme", ["Crème"]),
        ("crème", ["Crème"]),
        ("the parser", ["Pad"]),
        ("acme/x3", []),
        ("rocket' OR 'x", []),
        ('"rocket"*', ["Rocket", "Rocket launcher", "Blue rocket", "Pad"]),
        ("rocket NOT blue", []),
        ("words:rocket", []),
        ("_everyone", []),
        ("_partner1", []),
        ("\\", []),
        ("%", []),
        ("x" * 5000, []),
        ("rocket " * 500, ["Rocket", "Rocket launcher", "Blue rocket", "Pad"]),
    ],
)
def test_search_orders_titles_before_texts(names: list[str], alice: Any, query: str, expected: list[str]) -> None:
    assert find_titles(alice, query) == expected


def test_limits_apply_to_all_and_to_each_kind(names: list[str], alice: Any) -> None:
    assert [hit.kind.name for hit in search(alice, "acme", 100, limit_per_kind=2)] == [
        "REPOSITORY",
        "REPOSITORY",
        "INTEGRATION",
        "INTEGRATION",
    ]
    assert len(search(alice, "acme", 5)) == 5


def test_search_is_one_query_besides_the_memberships(
    names: list[str], alice: Any, django_assert_num_queries: Any
) -> None:
    clear_cached_roles(alice)
    with django_assert_num_queries(2):
        search(alice, "rocket", 100, limit_per_kind=5)
