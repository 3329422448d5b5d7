"""Can the listing be shown as it is? Summary, addresses, contacts, and the public pages of a run task."""

import re
from collections.abc import Iterator

from portal.core.translation import gettext_noop
from verification.checks.rules.link_reachability import (
    CLOSED_STATUSES,
    GONE_STATUSES,
    LINKS_MAX_AGE,
    check_links,
    summarize_links,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import RequestRefusedError, SourceNotFoundError, SourceUnavailableError
from verification.sources.html_pages import WebPage, parse_page
from verification.sources.http.client import PAGE, SourceResponse

RUN_TASKS_URL = "https://developer.hashicorp.com/terraform/registry/run-tasks"
MAX_SUMMARY_LINES = 2
MAX_ADDRESSES = 15
URL_PATTERN = re.compile(r"https?://[^\s<>\"]{1,500}")
EMAIL_PATTERN = re.compile(r"[\w.+%-]{1,64}@[\w.-]{1,253}")
DOMAIN_PATTERN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
PLACEHOLDER_DOMAIN_PATTERN = re.compile(
    r"(?:^|\.)(?:example\.(?:com|net|org)|test|invalid|localhost|local|internal|yourcompany\.com|company\.com)$"
)
REQUIRED_TOPICS = {
    "how to create the run task": (r"\bcreat|\badd|\bnew\b|\bset ?up", r"run task"),
    "how to attach it to a workspace": (r"\battach|\bassociat|\benabl|\bassign|\badd", r"workspace"),
    "which stages it supports": (r"\b(?:pre|post)[- _]?(?:plan|apply)\b",),
    "a run that it stops": (r"\bfail|\bblock|\bstop|\bmandatory|\bden(?:y|ied)",),
    "a run that it lets pass": (r"\bpass|\bsucce|\bapprove",),
}


@register_check(
    "listing.summary",
    title=gettext_noop("Two-line summary"),
    advice=gettext_noop("Say in two lines what the integration does and for whom."),
)
def check_listing_summary(subject: Subject, sources: Sources) -> Result:
    """There is a summary, and it has at most two lines."""
    text = str(subject.find_answer("summary") or subject.find_answer("text")).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    evidence = (Evidence("Summary", text[:500]),)
    if not lines:
        return Result(Outcome.NOT_RUN, "No summary is given yet.")
    if len(lines) > MAX_SUMMARY_LINES:
        return Result(Outcome.FAIL, f"The summary has {len(lines)} lines; {MAX_SUMMARY_LINES} are shown.", evidence)
    return Result(Outcome.PASS, f"The summary has {len(lines)} of {MAX_SUMMARY_LINES} lines.", evidence)


def list_addresses(subject: Subject) -> list[str]:
    """The addresses that the partner gave, each once: the homepage and whatever was answered with one."""
    answers = (
        str(value) for candidates in subject.answers.values() for value in candidates.values() if isinstance(value, str)
    )
    candidates = [subject.homepage, *(value.strip() for value in answers)]
    return list(dict.fromkeys(value for value in candidates if URL_PATTERN.fullmatch(value)))


@register_check(
    "listing.links",
    title=gettext_noop("Addresses that answer"),
    advice=gettext_noop("Correct the addresses that lead nowhere: the listing sends people there."),
    max_age=LINKS_MAX_AGE,
)
def check_listing_links(subject: Subject, sources: Sources) -> Result:
    """Homepage, documentation and every other address that was given answer."""
    outcome, message, evidence = summarize_links(check_links(sources, list_addresses(subject)[:MAX_ADDRESSES]))
    return Result(outcome, message, evidence)


@register_check(
    "listing.contacts",
    title=gettext_noop("Support contacts"),
    advice=gettext_noop("Name an e-mail address that people of yours read, best one that outlives a person's job."),
)
def check_support_contacts(subject: Subject, sources: Sources) -> Result:
    """There are e-mail addresses, and each could be written to by its form. Nothing is sent."""
    addresses = list(dict.fromkeys(_list_email_addresses(subject)))
    unreachable = [address for address in addresses if not _is_reachable(address)]
    evidence = tuple(Evidence("Contact", address) for address in (unreachable or addresses)[:10])
    if not addresses:
        return Result(Outcome.NOT_RUN, "No e-mail address is given yet.")
    if unreachable:
        return Result(Outcome.FAIL, f"Nobody can be reached at {unreachable[0]}.", evidence)
    return Result(Outcome.PASS, f"{len(addresses)} e-mail addresses that can be written to by their form.", evidence)


def _list_email_addresses(subject: Subject) -> Iterator[str]:
    for form_answers in subject.answers.values():
        for value in form_answers.values():
            if isinstance(value, str):
                yield from EMAIL_PATTERN.findall(value)


def _is_reachable(address: str) -> bool:
    name, _, domain = address.rstrip(".").rpartition("@")
    is_well_formed = not (name.startswith(".") or name.endswith(".") or ".." in name)
    return (
        is_well_formed
        and DOMAIN_PATTERN.fullmatch(domain.lower()) is not None
        and not PLACEHOLDER_DOMAIN_PATTERN.search(domain.lower())
    )


@register_check(
    "listing.run_task_docs",
    title=gettext_noop("Public documentation of the run task"),
    advice=gettext_noop(
        "Add what is missing to the public page; pictures of a stopped and of a passed run serve best."
    ),
    help=RUN_TASKS_URL,
)
def check_run_task_docs(subject: Subject, sources: Sources) -> Result:
    """The public page answers, and its words speak of creating, attaching, stages, stopping and passing. A hint."""
    address = str(subject.find_answer("documentation"))
    if not address:
        return Result(Outcome.NOT_RUN, "No address of the documentation is given yet.")
    evidence: tuple[Evidence, ...] = (Evidence("Page", address, address),)
    try:
        response: SourceResponse = sources.read(f"page:{address}", lambda: sources.web.ask(address, PAGE))
    except RequestRefusedError as refusal:
        return Result(Outcome.NOT_RUN, f"The page was not asked for: {refusal}", evidence)
    if response.status in GONE_STATUSES:
        raise SourceNotFoundError(f"{response.link.netloc} answered {response.status_line} for the documentation.")
    if response.status in CLOSED_STATUSES:
        return Result(
            Outcome.FAIL, f"The page is not public: {response.link.netloc} says {response.status_line}.", evidence
        )
    if response.status != 200:
        raise SourceUnavailableError(f"{response.link.netloc} answered {response.status_line}.")
    page = parse_page(response.body)
    if not page.has_text:
        return Result(Outcome.NOT_RUN, "The page shows its words by scripts only, so a person reads it.", evidence)
    missing_topics = [
        topic
        for topic, patterns in REQUIRED_TOPICS.items()
        if not all(re.search(pattern, page.text) for pattern in patterns)
    ]
    evidence += (Evidence("Pictures", str(page.images)), *(Evidence("Not found", topic) for topic in missing_topics))
    return Result(*_summarize_page(missing_topics, page), evidence)


def _summarize_page(missing_topics: list[str], page: WebPage) -> tuple[Outcome, str]:
    if missing_topics:
        suffix = f", and {len(missing_topics) - 1} things more" if missing_topics[1:] else ""
        return Outcome.WARN, f"The page does not seem to say {missing_topics[0]}{suffix}."
    if not page.images:
        return Outcome.WARN, "The page speaks of everything, but has no picture of a stopped and a passed run."
    return Outcome.PASS, "The page speaks of everything and has pictures."
