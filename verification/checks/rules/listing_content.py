"""Checks of the listing's content: summary, links, contacts, the download, and the public pages of a run task."""

import re
from collections.abc import Iterator

from verification.checks.rules.link_reachability import (
    GONE_STATUSES,
    PREDICATES,
    check_link,
    check_links,
    is_refusal,
)
from verification.checks.rules.shared_reads import read_release
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.sources import Sources
from verification.sources.errors import RequestRefusedError, SourceNotFoundError, SourceUnavailableError
from verification.sources.html_pages import WebPage, parse_page
from verification.sources.http.client import PAGE, SourceResponse

# Terraform Integration Program, Terraform Cloud Integrations, 4. Release: "a two-line summary about your integration".
MAX_SUMMARY_LINES = 2
# About one sentence. The same step requires an FAQ or best practices for HashiCorp's support team.
MIN_FAQ_WORDS = 15
# The server wants to know who sends the request. Other statuses of a refusal are about the request itself.
PRIVATE_STATUSES = (401, 403, 407)
# Of any length, because one that clients refuse can't be checked and must not pass unmentioned.
URL_PATTERN = re.compile(r"https?://[^\s<>\"]+")
# Not the address of a repository ("git@host:path"). After a slash, only with a top-level domain: "Ops/oncall@acme.com",
# but not a path with a version ("host/tool@latest") or with a user ("ssh://git@host").
EMAIL_PATTERN = re.compile(
    r"(?<![\w.+%/-])(?!git@[^\s:]+:)[\w.+%-]{1,64}@[\w.-]{1,253}"
    r"|(?<=[^/]/)[\w.+%-]{1,64}@[\w.-]{1,253}\.[A-Za-z]{2,63}(?![\w-])"
)
DOMAIN_PATTERN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})")
# Names that are reserved for examples and local networks (RFC 2606, RFC 6762) or left over from templates.
PLACEHOLDER_DOMAIN_PATTERN = re.compile(
    r"(?:^|\.)(?:example\.(?:com|net|org)|test|invalid|localhost|local|internal|yourcompany\.com|company\.com)$"
)
# What the registry's page on run tasks requires of public documentation. All patterns of a topic must match.
REQUIRED_TOPICS = {
    "how to create the run task": (r"\bcreat|\badd|\bnew\b|\bset ?up", r"run task"),
    "how to attach it to a workspace": (r"\battach|\bassociat|\benabl|\bassign|\badd", r"workspace"),
    "which stages it supports": (r"\b(?:pre|post)[- _]?(?:plan|apply)\b",),
    "a run that the task stops": (r"\bfail|\bblock|\bstop|\bmandatory|\bden(?:y|ied)",),
    "a run that the task passes": (r"\bpass|\bsucce|\bapprove",),
}


@register_check("listing.summary")
def check_listing_summary(subject: Subject, sources: Sources) -> Result:
    text = str(subject.find_answer("summary") or subject.find_answer("text")).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    evidence = (Evidence("Summary", text[:500]),)
    if not lines:
        return Result(Outcome.NOT_RUN, "The summary is missing.")
    if len(lines) > MAX_SUMMARY_LINES:
        summary = f"The summary has {len(lines)} lines. The listing shows {MAX_SUMMARY_LINES}."
        return Result(Outcome.FAIL, summary, evidence)
    return Result(Outcome.PASS, f"The summary has {len(lines)} of {MAX_SUMMARY_LINES} lines.", evidence)


def _iterate_texts(subject: Subject) -> Iterator[str]:
    """Yield the answers that are text."""
    for form_answers in subject.answers.values():
        yield from (value for value in form_answers.values() if isinstance(value, str))


def list_addresses(subject: Subject) -> list[str]:
    """Return the URLs that the partner entered, each once: the homepage and every URL in an answer."""
    texts = (value.strip() for value in _iterate_texts(subject))
    # The endpoint of a run task isn't a page: it needn't answer GET requests, and test runs send it what it expects.
    candidates = [subject.homepage, *(text for text in texts if text != subject.find_answer("endpoint"))]
    return list(dict.fromkeys(value for value in candidates if URL_PATTERN.fullmatch(value)))


@register_check("listing.links")
def check_listing_links(subject: Subject, sources: Sources) -> Result:
    return check_links(sources, list_addresses(subject))


@register_check("listing.contacts")
def check_support_contacts(subject: Subject, sources: Sources) -> Result:
    addresses = list(dict.fromkeys(each for text in _iterate_texts(subject) for each in EMAIL_PATTERN.findall(text)))
    unreachable = [address for address in addresses if not _is_reachable(address)]
    evidence = tuple(Evidence("Contact", address) for address in (unreachable or addresses)[:10])
    if not addresses:
        return Result(Outcome.NOT_RUN, "The support email address is missing.")
    if unreachable:
        return Result(Outcome.FAIL, f"{unreachable[0]} isn't a valid email address.", evidence)
    count = format_count(len(addresses), "valid email address", "valid email addresses")
    return Result(Outcome.PASS, f"The listing has {count}.", evidence)


@register_check("listing.support_docs")
def check_support_documents(subject: Subject, sources: Sources) -> Result:
    # The application has a contact, too, but HashiCorp Support gets the one of this form.
    form_answers = next((answers for answers in subject.answers.values() if answers.get("faq")), {})
    contacts = [line for line in str(form_answers.get("more_contacts", "")).splitlines() if line.strip()]
    main_contact = str(form_answers.get("contact_email", ""))
    faq = str(form_answers.get("faq", ""))
    if not (main_contact and faq):
        return Result(Outcome.NOT_RUN, "The support documentation is missing.")
    incomplete = [line for line in contacts if not any(map(_is_reachable, EMAIL_PATTERN.findall(line)))]
    if incomplete:
        evidence = tuple(Evidence("Contact", line) for line in incomplete[:10])
        contacts_without = format_count(len(incomplete), "contact has", "contacts have")
        return Result(Outcome.WARN, f"{contacts_without} no valid email address.", evidence)
    word_count = len(faq.split())
    evidence = (Evidence("Contact", main_contact), Evidence("FAQ or best practices", f"{word_count} words"))
    if word_count < MIN_FAQ_WORDS:
        return Result(Outcome.WARN, f"The FAQ or best practices have fewer than {MIN_FAQ_WORDS} words.", evidence)
    return Result(Outcome.PASS, "The support documentation has contacts and an FAQ or best practices.", evidence)


def _is_reachable(address: str) -> bool:
    name, _, domain = address.rstrip(".").lower().rpartition("@")
    if name.startswith(".") or name.endswith(".") or ".." in name:
        return False
    try:
        domain = domain.encode("idna").decode()  # "bücher.de"
    except UnicodeError:
        return False
    return bool(DOMAIN_PATTERN.fullmatch(domain)) and not PLACEHOLDER_DOMAIN_PATTERN.search(domain)


@register_check("listing.run_task_docs")
def check_run_task_docs(subject: Subject, sources: Sources) -> Result:
    address = str(subject.find_answer("documentation"))
    if not address:
        return Result(Outcome.NOT_RUN, "The documentation URL is missing.")
    evidence: tuple[Evidence, ...] = (Evidence("Page", address, address),)
    try:
        response: SourceResponse = sources.read(f"page:{address}", lambda: sources.web.request(address, PAGE))
    except RequestRefusedError as refusal:
        return Result(Outcome.NOT_RUN, f"We couldn't read the page. {refusal}", evidence)
    if response.status in GONE_STATUSES:
        # An error instead of a result, so that a page that was there before must be missing for a day before the check
        # fails.
        raise SourceNotFoundError(f"{response.link.netloc} returned {response.status_line} for the documentation.")
    # The registry's card links to this page, so unlike other links, a page that refuses strangers fails.
    if is_refusal(response.status):
        reason = "The page isn't public." if response.status in PRIVATE_STATUSES else "We couldn't read the page."
        summary = f"{reason} {response.link.netloc} returned {response.status_line}."
        return Result(Outcome.FAIL, summary, evidence)
    if response.status != 200:
        raise SourceUnavailableError(f"{response.link.netloc} returned {response.status_line}.")
    page = parse_page(response.body)
    if not page.has_text:
        return Result(Outcome.NOT_RUN, "The page needs JavaScript to show its text. A reviewer reads it.", evidence)
    missing_topics = [
        topic
        for topic, patterns in REQUIRED_TOPICS.items()
        if not all(re.search(pattern, page.text) for pattern in patterns)
    ]
    evidence += (Evidence("Pictures", str(page.images)), *(Evidence("Not found", topic) for topic in missing_topics))
    return Result(*_summarize_page(missing_topics, page), evidence)


def _summarize_page(missing_topics: list[str], page: WebPage) -> tuple[Outcome, str]:
    if missing_topics:
        suffix = f" and {format_count(len(missing_topics) - 1, 'more topic')}" if missing_topics[1:] else ""
        return Outcome.WARN, f"The page doesn't seem to cover {missing_topics[0]}{suffix}."
    # The program prefers screenshots, but doesn't require them.
    if not page.images:
        return Outcome.WARN, "The page covers all topics, but has no screenshot of a stopped run and a passed run."
    return Outcome.PASS, "The page covers all topics and has screenshots."


@register_check("release.download")
def check_download(subject: Subject, sources: Sources) -> Result:
    address = str(subject.find_answer("download"))
    if not address and subject.repository:
        newest = read_release(subject, sources)
        address = newest.assets[0].url if newest and newest.assets else ""
    if not address:
        summary = "No download URL entered, and no release has a file. Enter the URL, or attach the file to a release."
        return Result(Outcome.WARN, summary)
    link_outcome, evidence = check_link(sources, address)
    # Nomad Integration Program, 5. Release: "the plugin can be hosted anywhere", so a dead link proves nothing.
    outcome = Outcome.WARN if link_outcome == Outcome.FAIL else link_outcome
    return Result(outcome, f"The download URL {PREDICATES[link_outcome][0]}.", (evidence,))
