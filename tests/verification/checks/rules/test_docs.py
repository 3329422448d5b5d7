from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import SUBJECT, FakeSources, code, release
from verification.checks.rules import link_reachability
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.repository_snapshot import RepositoryFile, RepositorySnapshot

KEYS = [key for key in CHECKS if key.startswith("docs.")]


def result(key, texts, *, is_truncated=False, **fields):
    sources = FakeSources(
        releases_said=(release("v1.2.0"),), code_said=code(texts, is_truncated=is_truncated), **fields
    )
    return CHECKS[f"docs.{key}"].run(SUBJECT, sources)


def outcome(key, *paths):
    return result(key, dict.fromkeys(paths, "")).outcome


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_left_to_the_runner(key):
    with pytest.raises(SourceUnavailableError):
        CHECKS[key].run(
            SUBJECT, FakeSources(releases_said=(release("v1.2.0"),), code_said=SourceUnavailableError("Down."))
        )


@pytest.mark.parametrize("key", KEYS)
def test_without_a_repository_no_one_is_asked(key):
    sources = FakeSources()
    assert CHECKS[key].run(replace(SUBJECT, repository=""), sources).outcome == Outcome.FAIL
    assert sources.requested_addresses == []


@pytest.mark.parametrize("key", KEYS)
def test_empty_repository_passes_nothing(key):
    assert CHECKS[key].run(
        SUBJECT, FakeSources(releases_said=(release("v1.2.0"),), code_said=code({"main.go": ""}))
    ).outcome in (Outcome.WARN, Outcome.NOT_RUN)


@pytest.mark.parametrize("key", ["layout", "pages", "limits"])
def test_list_that_is_cut_off_is_not_judged(key):
    assert result(key, {"docs/index.md": "", "docs/resources/a.md": ""}, is_truncated=True).outcome == Outcome.NOT_RUN


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("docs/index.md", "docs/resources/server.md"), Outcome.PASS),
        (("docs/index.md", "docs/functions/parse.md"), Outcome.PASS),
        (("website/docs/index.html.markdown", "website/docs/r/server.html.markdown"), Outcome.PASS),
        (("website/docs/index.markdown", "website/docs/d/server.html.md"), Outcome.PASS),
        (("docs/index.md", "docs/guides/begin.md"), Outcome.WARN),
        (("docs/index.md",), Outcome.WARN),
        (("docs/resources/server.md",), Outcome.WARN),
        (("docs/index.txt", "docs/resources/server.md"), Outcome.WARN),
        (("docs/sub/index.md", "docs/resources/server.md"), Outcome.WARN),
    ],
)
def test_layout(paths, expected):
    assert outcome("layout", *paths) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("resource_server.go", "docs/resources/server.md"), Outcome.PASS),
        (("internal/server_resource.go", "docs/resources/server.md"), Outcome.PASS),
        (("resource_rocket_server.go", "docs/resources/server.md"), Outcome.PASS),
        (("server_data_source.go", "docs/data-sources/server.md"), Outcome.PASS),
        (("data_source_server.go", "docs/resources/server.md"), Outcome.WARN),
        (("function_parse.go", "docs/functions/parse.md"), Outcome.PASS),
        (("resource_server.go", "resource_disk.go", "docs/resources/server.md"), Outcome.WARN),
        (("resource_server_test.go", "docs/resources/server.md"), Outcome.NOT_RUN),
        (("server.go", "docs/resources/server.md"), Outcome.NOT_RUN),
    ],
)
def test_pages(paths, expected):
    assert outcome("pages", *paths) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([RepositoryFile("docs/index.md", 500_000)], Outcome.PASS),
        ([RepositoryFile("docs/index.md", 500_001)], Outcome.WARN),
        ([RepositoryFile(f"docs/resources/r{n}.md", 1) for n in range(1000)], Outcome.PASS),
        ([RepositoryFile(f"docs/resources/r{n}.md", 1) for n in range(1001)], Outcome.WARN),
    ],
)
def test_limits(files, expected):
    sources = FakeSources(
        releases_said=(release("v1.2.0"),), code_said=RepositorySnapshot("acme/rocket", "9f3c1e", tuple(files))
    )
    assert CHECKS["docs.limits"].run(SUBJECT, sources).outcome == expected


ONE, TWO = "https://acme.com/one", "https://acme.com/two"
TEXT = {"docs/index.md": f"See [one]({ONE}#part) and <{TWO}>, or [none](other.md).", "README.md": f"[one]({ONE})"}


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (200, 200, Outcome.PASS),
        (200, 404, Outcome.WARN),
        (410, 500, Outcome.WARN),
        (200, 403, Outcome.WARN),
        (200, 500, Outcome.ERROR),
        (200, SourceUnavailableError("Down."), Outcome.ERROR),
        (200, RequestRefusedError("No."), Outcome.NOT_RUN),
        (404, RequestRefusedError("No."), Outcome.WARN),
    ],
)
def test_links(one, two, expected):
    assert result("links", TEXT, pages={ONE: one, TWO: two}).outcome == expected


def test_links_whose_turn_does_not_come_in_time_are_our_outage(monkeypatch):
    monkeypatch.setattr(link_reachability, "TIME_LIMIT_SECONDS", -1.0)
    outcome = result("links", TEXT, pages={ONE: 200, TWO: 404})
    assert (outcome.outcome, outcome.summary) == (Outcome.ERROR, "2 of 2 links didn't respond to us.")


def test_links_are_asked_once_each_and_not_without_end():
    many = " ".join(f"[x](https://acme.com/{n})" for n in range(40))
    sources = FakeSources(releases_said=(release("v1.2.0"),), code_said=code({"docs/index.md": many + many}))
    CHECKS["docs.links"].run(SUBJECT, sources)
    assert len([address for address in sources.requested_addresses if address.startswith("https://")]) == 15
