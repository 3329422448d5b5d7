"""Tests of the checks of a listing: summary, links, and contacts."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import SUBJECT, FakeSources
from verification.checks.types import CHECKS
from verification.outcomes import Outcome, Result
from verification.sources.errors import RequestRefusedError, SourceError, SourceNotFoundError, SourceUnavailableError
from verification.sources.html_pages import extract_links, parse_page
from verification.sources.http.client import ResponseTooLargeError

Page = int | str | SourceError  # the answer for a URL: a status, a text, or an error
DOCS = "https://docs.acme.com/run-task"
PAGE_WITHOUT_IMAGES = (
    "<h1>Rocket run task</h1><p>First create a run task in your organization. Then attach it to a workspace. "
    "It supports the stages pre-plan and post-plan. A run fails when a rule is broken, otherwise it passes.</p>"
    "<script>nothing</script>" + "<p>More text about the run task, so that the page is long enough.</p>" * 3
)
PAGE = PAGE_WITHOUT_IMAGES + '<img src="stopped.png"><img src="passed.png">'


def run_listing_check(key: str, pages: dict[str, Page] | None = None, homepage: str = "", **answers: str) -> Result:
    subject = replace(SUBJECT, homepage=homepage, answers={"RT-1": answers})
    return CHECKS[f"listing.{key}"].run(subject, FakeSources(pages=pages or {}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("One.", Outcome.PASS), ("One.\n\nTwo.", Outcome.PASS), ("1\n2\n3", Outcome.FAIL), (" \n ", Outcome.NOT_RUN)],
)
def test_summary_has_two_lines_at_most(text: str, expected: Outcome) -> None:
    assert run_listing_check("summary", summary=text).outcome == expected


@pytest.mark.parametrize(
    ("page_status", "expected"),
    [
        (200, Outcome.PASS),
        (404, Outcome.FAIL),
        (204, Outcome.PASS),
        (403, Outcome.WARN),
        (400, Outcome.WARN),
        (406, Outcome.WARN),
        (429, Outcome.ERROR),
        (503, Outcome.ERROR),
        (RequestRefusedError("Private."), Outcome.NOT_RUN),
        (SourceUnavailableError("Down."), Outcome.ERROR),
    ],
)
def test_link_must_work(page_status: Page, expected: Outcome) -> None:
    assert run_listing_check("links", {DOCS: page_status}, documentation=DOCS).outcome == expected


def test_links_include_the_homepage_and_every_url_in_the_answers() -> None:
    result = run_listing_check(
        "links", {DOCS: 200, "https://acme.com": 200}, "https://acme.com", documentation=DOCS, plan="no link"
    )
    assert result.summary == "Both links work."


def test_long_links_are_checked() -> None:
    address = f"{DOCS}/{'a' * 1000}"
    assert run_listing_check("links", {DOCS: 200, address: 404}, DOCS, documentation=address).outcome == Outcome.FAIL


def test_endpoint_of_a_run_task_is_no_link() -> None:
    endpoint = "https://tasks.acme.com/run"
    result = run_listing_check("links", {DOCS: 200, endpoint: 404}, documentation=DOCS, endpoint=endpoint)
    assert result.summary == "The only link works."


@pytest.mark.parametrize(
    ("statuses", "summary"),
    [
        ([200], "The only link works."),
        ([404], "The only link is broken."),
        ([404, 200], "1 of 2 links is broken."),
        ([404, 404], "2 of 2 links are broken."),
        ([403, 200, 200], "1 of 3 links refuses automated requests."),
    ],
)
def test_summary_counts_the_links(statuses: list[Page], summary: str) -> None:
    pages = {f"{DOCS}/{number}": status for number, status in enumerate(statuses)}
    answers = {f"link_{number}": address for number, address in enumerate(pages)}
    assert run_listing_check("links", pages, **answers).summary == summary


@pytest.mark.parametrize(
    ("addresses", "summary"),
    [
        ("help@acme.com", "The listing has 1 valid email address."),
        ("help@acme.com, press@acme.com", "The listing has 2 valid email addresses."),
        ("Write to help@acme.com: we answer.", "The listing has 1 valid email address."),
        ("help@acme.com. Run go install example.com/acme/tool@latest.", "The listing has 1 valid email address."),
        ("help@acme.com or git clone git@github.com:acme/rocket.git", "The listing has 1 valid email address."),
        ("help@acme.com or git clone ssh://git@github.com/acme/rocket", "The listing has 1 valid email address."),
        ("help@acme.com (uses: acme/setup-rocket@v1.2)", "The listing has 1 valid email address."),
        ("Ops/oncall@acme.com", "The listing has 1 valid email address."),
        ("help@acme.com:24x7", "The listing has 1 valid email address."),
        ("help@acme.com/press@acme.com.", "The listing has 2 valid email addresses."),
        ("help@acme.com/press@example.com", "press@example.com isn't a valid email address."),
    ],
)
def test_summary_counts_the_email_addresses(addresses: str, summary: str) -> None:
    assert run_listing_check("contacts", contact_email=addresses).summary == summary


def test_listing_without_links_is_not_run() -> None:
    assert run_listing_check("links").outcome == Outcome.NOT_RUN


@pytest.mark.parametrize(
    ("contact", "expected"),
    [
        ("support@acme.com", Outcome.PASS),
        ("Ann Archer, support, help@support.acme.co.uk", Outcome.PASS),
        ("support@example.com", Outcome.FAIL),
        ("support@bücher.de", Outcome.PASS),
        ("support@почта.рф", Outcome.PASS),
        ("support@xn--80a1acny.xn--p1ai", Outcome.PASS),
        ("support@bücher.test", Outcome.FAIL),
        ("support@localhost", Outcome.FAIL),
        ("support@acme.test", Outcome.FAIL),
        ("a..b@acme.com", Outcome.FAIL),
        ("help@acme..com", Outcome.FAIL),
        ("support@-acme.com", Outcome.FAIL),
        ("good@acme.com and bad@acme", Outcome.FAIL),
        ("nobody", Outcome.NOT_RUN),
        ("", Outcome.NOT_RUN),
    ],
)
def test_contacts_need_valid_email_addresses(contact: str, expected: Outcome) -> None:
    assert run_listing_check("contacts", contact=contact).outcome == expected


FAQ = "What if a run is stopped? Open the task result, read the reason, and fix the configuration or ask the owner."


@pytest.mark.parametrize(
    ("answers", "outcome", "summary"),
    [
        ({}, Outcome.NOT_RUN, "The support documentation is missing."),
        ({"faq": FAQ}, Outcome.NOT_RUN, "The support documentation is missing."),
        (
            {"contact_email": "a@acme.io", "faq": FAQ, "more_contacts": "Sam, on call, sam@acme.io\n\nPat, lead"},
            Outcome.WARN,
            "1 contact has no valid email address.",
        ),
        (
            {"contact_email": "a@acme.io", "faq": "Call us."},
            Outcome.WARN,
            "The FAQ or best practices have fewer than 15 words.",
        ),
        (
            {"contact_email": "a@acme.io", "faq": FAQ, "more_contacts": "Sam, on call, sam@acme.io"},
            Outcome.PASS,
            "The support documentation has contacts and an FAQ or best practices.",
        ),
    ],
)
def test_support_docs_need_contacts_and_an_faq(answers: dict[str, str], outcome: Outcome, summary: str) -> None:
    result = run_listing_check("support_docs", {}, **answers)
    assert (result.outcome, result.summary) == (outcome, summary)


@pytest.mark.parametrize(
    ("support_contact", "outcome", "contacts"),
    [("support@acme.io", Outcome.PASS, ["support@acme.io"]), ("", Outcome.NOT_RUN, [])],
)
def test_contact_of_the_application_is_no_support_contact(
    support_contact: str, outcome: Outcome, contacts: list[str]
) -> None:
    answers = {"RT-1": {"contact_email": "sales@acme.io"}, "RT-7": {"contact_email": support_contact, "faq": FAQ}}
    result = CHECKS["listing.support_docs"].run(replace(SUBJECT, answers=answers), FakeSources())
    assert (result.outcome, [e.value for e in result.evidence if e.label == "Contact"]) == (outcome, contacts)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (PAGE, Outcome.PASS),
        (PAGE_WITHOUT_IMAGES, Outcome.WARN),
        (PAGE.replace("attach it to a workspace", "use it"), Outcome.WARN),
        (PAGE.replace("pre-plan and post-plan", "planning"), Outcome.WARN),
        ("<script>draw()</script>", Outcome.NOT_RUN),
        (f"<script>{PAGE}</script>", Outcome.NOT_RUN),
        (403, Outcome.FAIL),
        (406, Outcome.FAIL),
        (RequestRefusedError("Private."), Outcome.NOT_RUN),
    ],
)
def test_run_task_docs_must_be_public_and_complete(page: Page, expected: Outcome) -> None:
    assert run_listing_check("run_task_docs", {DOCS: page}, documentation=DOCS).outcome == expected


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "The page isn't public."),
        (403, "The page isn't public."),
        (400, "We couldn't read the page."),
        (406, "We couldn't read the page."),
    ],
)
def test_refused_run_task_docs_say_what_the_server_returned(status: int, reason: str) -> None:
    result = run_listing_check("run_task_docs", {DOCS: status}, documentation=DOCS)
    assert result.summary == f"{reason} docs.acme.com returned {status}."


def test_run_task_docs_that_are_too_large_say_so() -> None:
    answer = ResponseTooLargeError("docs.acme.com sent a page above the size limit.")
    result = run_listing_check("run_task_docs", {DOCS: answer}, documentation=DOCS)
    assert result.summary == "We couldn't read the page. docs.acme.com sent a page above the size limit."


@pytest.mark.parametrize(
    ("removed", "summary"),
    [
        (("workspace",), "The page doesn't seem to cover how to attach it to a workspace."),
        (("workspace", "plan"), "The page doesn't seem to cover how to attach it to a workspace and 1 more topic."),
    ],
)
def test_missing_topics_of_run_task_docs_are_counted(removed: tuple[str, ...], summary: str) -> None:
    page = PAGE
    for word in removed:
        page = page.replace(word, "thing")
    assert run_listing_check("run_task_docs", {DOCS: page}, documentation=DOCS).summary == summary


def test_run_task_docs_without_a_url_are_not_run() -> None:
    assert run_listing_check("run_task_docs").outcome == Outcome.NOT_RUN


@pytest.mark.parametrize(
    ("page_status", "error"),
    [
        (404, SourceNotFoundError),
        (500, SourceUnavailableError),
        (SourceUnavailableError("Down."), SourceUnavailableError),
    ],
)
def test_unavailable_run_task_docs_are_raised(page_status: Page, error: type[SourceError]) -> None:
    with pytest.raises(error):
        run_listing_check("run_task_docs", {DOCS: page_status}, documentation=DOCS)


# `bin/bench limits` measures these pages too: a parser that backtracks would take minutes
HOSTILE_PAGES = (
    "<" * 1_000_000,
    "<a " * 300_000,
    "<!--" * 200_000,
    "](" * 400_000,
    "<script>" * 90_000,
    "<http://" * 130_000,
)


@pytest.mark.parametrize("text", HOSTILE_PAGES, ids=range(len(HOSTILE_PAGES)))
def test_hostile_page_has_no_links(text: str) -> None:
    parse_page(text.encode())
    assert not extract_links(text)


@pytest.mark.parametrize(
    ("markdown", "links"),
    [
        ("[a](https://acme.com/wiki/Rocket_(engine)).", ("https://acme.com/wiki/Rocket_(engine)",)),
        ("([a](https://acme.com/wiki/(a)/b))", ("https://acme.com/wiki/(a)/b",)),
        ('[a](<https://acme.com/a>), [b](https://acme.com/b "Title")', ("https://acme.com/a", "https://acme.com/b")),
        ("[a](https://acme.com/(a", ("https://acme.com/",)),
        ("<https://acme.com/a <https://acme.com/b<https://acme.com/c>", ("https://acme.com/c",)),
        (f"[a](https://acme.com/{'a' * 1000})", (f"https://acme.com/{'a' * 1000}",)),
    ],
)
def test_links_of_markdown_can_have_parentheses(markdown: str, links: tuple[str, ...]) -> None:
    assert extract_links(markdown) == links
