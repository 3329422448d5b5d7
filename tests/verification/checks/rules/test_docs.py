"""Tests of the checks of a provider's documentation."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import SUBJECT, FakeSources, build_code_sources, build_release
from verification.checks.rules import link_reachability
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.repository_snapshot import RepositoryFile, RepositorySnapshot

KEYS = [key for key in CHECKS if key.startswith("docs.")]


def run_docs_check(key, texts, *, is_truncated=False, **fields):
    sources = build_code_sources(texts, is_truncated=is_truncated, **fields)
    return CHECKS[f"docs.{key}"].run(SUBJECT, sources)


def get_outcome(key, *paths):
    return run_docs_check(key, dict.fromkeys(paths, "")).outcome


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_raised(key):
    with pytest.raises(SourceUnavailableError):
        CHECKS[key].run(SUBJECT, FakeSources(code_answer=SourceUnavailableError("Down.")))


@pytest.mark.parametrize("key", KEYS)
def test_blank_repository_fails_without_a_request(key):
    sources = FakeSources()
    assert CHECKS[key].run(replace(SUBJECT, repository=""), sources).outcome == Outcome.FAIL
    assert sources.requested_addresses == []


@pytest.mark.parametrize("key", KEYS)
def test_code_that_github_does_not_show_fails_as_a_missing_item(key):
    result = CHECKS[key].run(SUBJECT, FakeSources(releases_answer=(build_release("v1.2.0"),), code_answer=None))
    message = "acme/terraform-provider-rocket@v1.2.0 is not there."
    assert (result.outcome, result.summary, result.missing_item) == (Outcome.FAIL, message, message)


@pytest.mark.parametrize("key", KEYS)
def test_repository_without_docs_does_not_pass(key):
    assert get_outcome(key.removeprefix("docs."), "main.go") in (Outcome.WARN, Outcome.NOT_RUN)


@pytest.mark.parametrize("key", ["layout", "pages", "limits"])
def test_truncated_list_of_files_is_not_run(key):
    assert (
        run_docs_check(key, {"docs/index.md": "", "docs/resources/a.md": ""}, is_truncated=True).outcome
        == Outcome.NOT_RUN
    )


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
def test_layout_needs_an_index_and_a_reference_page(paths, expected):
    assert get_outcome("layout", *paths) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("resource_server.go", "docs/resources/server.md"), Outcome.PASS),
        (("internal/server_resource.go", "docs/resources/server.md"), Outcome.PASS),
        (("resource_rocket_server.go", "docs/resources/server.md"), Outcome.PASS),
        (("resource_server.go", "docs/resources/rocket_server.md"), Outcome.PASS),
        (("resource_server.go", "docs/resources/web_server.md"), Outcome.WARN),
        (("resource_web_server.go", "docs/resources/server.md"), Outcome.WARN),
        (("server_data_source.go", "docs/data-sources/server.md"), Outcome.PASS),
        (("data_source_server.go", "docs/resources/server.md"), Outcome.WARN),
        (("function_parse.go", "docs/functions/parse.md"), Outcome.PASS),
        (("parse_function.go", "docs/functions/parse.md"), Outcome.PASS),
        (("resource_lambda_function.go", "docs/resources/lambda_function.md"), Outcome.PASS),
        (("function_app_resource.go", "docs/resources/function_app.md"), Outcome.PASS),
        (("token_ephemeral_resource.go", "docs/ephemeral-resources/token.md"), Outcome.PASS),
        (("ephemeral_resource_to_function.go", "docs/ephemeral-resources/to_function.md"), Outcome.PASS),
        (("list_resource_to_function.go", "docs/list-resources/to_function.md"), Outcome.PASS),
        (("ephemeral_resource_token.go", "docs/resources/token.md"), Outcome.WARN),
        (
            (
                "server_list_resource.go",
                "server_resource.go",
                "docs/list-resources/server.md",
                "docs/resources/server.md",
            ),
            Outcome.PASS,
        ),
        (("server_list_resource.go", "server_resource.go", "docs/resources/server.md"), Outcome.WARN),
        (("ip_list_resource.go", "docs/resources/ip_list.md"), Outcome.PASS),
        (("list_resource_server.go", "docs/resources/server.md"), Outcome.WARN),
        (("resource_server.go", "resource_disk.go", "docs/resources/server.md"), Outcome.WARN),
        (("resource_server_test.go", "docs/resources/server.md"), Outcome.NOT_RUN),
        (("server.go", "docs/resources/server.md"), Outcome.NOT_RUN),
    ],
)
def test_every_resource_needs_a_page(paths, expected):
    assert get_outcome("pages", *paths) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([RepositoryFile("docs/index.md", 500_000)], Outcome.PASS),
        ([RepositoryFile("docs/index.md", 500_001)], Outcome.WARN),
        ([RepositoryFile(f"docs/resources/r{n}.md", 1) for n in range(1000)], Outcome.PASS),
        ([RepositoryFile(f"docs/resources/r{n}.md", 1) for n in range(1001)], Outcome.WARN),
    ],
)
def test_size_and_number_of_pages_are_limited(files, expected):
    sources = FakeSources(
        releases_answer=(build_release("v1.2.0"),),
        code_answer=RepositorySnapshot("acme/rocket", "9f3c1e", tuple(files)),
    )
    assert CHECKS["docs.limits"].run(SUBJECT, sources).outcome == expected


FIRST_LINK = "https://acme.com/one"
SECOND_LINK = "https://acme.com/two"
FILES = {
    "docs/index.md": f"See [one]({FIRST_LINK}#part) and <{SECOND_LINK}>, or [none](other.md).",
    "README.md": f"[one]({FIRST_LINK})",
}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
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
def test_links_must_work(first, second, expected):
    assert run_docs_check("links", FILES, pages={FIRST_LINK: first, SECOND_LINK: second}).outcome == expected


def test_links_after_the_time_limit_are_an_error(monkeypatch):
    monkeypatch.setattr(link_reachability, "TIME_LIMIT_SECONDS", -1.0)
    result = run_docs_check("links", FILES, pages={FIRST_LINK: 200, SECOND_LINK: 404})
    assert (result.outcome, result.summary) == (Outcome.ERROR, "2 of 2 links didn't respond to us.")


def test_at_most_fifteen_links_are_requested_once():
    text = " ".join(f"[x](https://acme.com/{n})" for n in range(40))
    sources = build_code_sources({"docs/index.md": text + text})
    result = CHECKS["docs.links"].run(SUBJECT, sources)
    assert result.summary == "15 of 15 links are broken. We checked only 15 of 40 links."
    assert len([address for address in sources.requested_addresses if address.startswith("https://")]) == 15
