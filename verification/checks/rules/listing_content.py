"""Can the listing be shown as it is? Summary, addresses, contacts, and the public pages of a run task."""

import re
from collections.abc import Iterator

from portal.core.translation import gettext_noop
from verification.checks.rules.link_reachability import CLOSED, GONE, LINKS_FRESH, ask_all, judged
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import NotFound, Refused, Unavailable
from verification.sources.html_pages import Page, page_of
from verification.sources.http.client import PAGE, Answer

RUN_TASKS = "https://developer.hashicorp.com/terraform/registry/run-tasks"
MOST_LINES = 2
MOST_ADDRESSES = 15
ADDRESS = re.compile(r"https?://[^\s<>\"]{1,500}")
MAIL = re.compile(r"[\w.+%-]{1,64}@[\w.-]{1,253}")
DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
PLACEHOLDERS = re.compile(
    r"(?:^|\.)(?:example\.(?:com|net|org)|test|invalid|localhost|local|internal|yourcompany\.com|company\.com)$"
)
TOLD = {
    "how to create the run task": (r"\bcreat|\badd|\bnew\b|\bset ?up", r"run task"),
    "how to attach it to a workspace": (r"\battach|\bassociat|\benabl|\bassign|\badd", r"workspace"),
    "which stages it supports": (r"\b(?:pre|post)[- _]?(?:plan|apply)\b",),
    "a run that it stops": (r"\bfail|\bblock|\bstop|\bmandatory|\bden(?:y|ied)",),
    "a run that it lets pass": (r"\bpass|\bsucce|\bapprove",),
}


@check(
    "listing.summary",
    title=gettext_noop("Two-line summary"),
    advice=gettext_noop("Say in two lines what the integration does and for whom."),
)
def summary(subject: Subject, sources: Sources) -> Result:
    """There is a summary, and it has at most two lines."""
    text = str(subject.answer("summary") or subject.answer("text")).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    seen = (Evidence("Summary", text[:500]),)
    if not lines:
        return Result(Outcome.NOT_RUN, "No summary is given yet.")
    if len(lines) > MOST_LINES:
        return Result(Outcome.FAIL, f"The summary has {len(lines)} lines; {MOST_LINES} are shown.", seen)
    return Result(Outcome.PASS, f"The summary has {len(lines)} of {MOST_LINES} lines.", seen)


def addresses_of(subject: Subject) -> list[str]:
    """The addresses that the partner gave, each once: the homepage and whatever was answered with one."""
    answers = (str(value) for given in subject.answers.values() for value in given.values() if isinstance(value, str))
    given = [subject.homepage, *(value.strip() for value in answers)]
    return list(dict.fromkeys(value for value in given if ADDRESS.fullmatch(value)))


@check(
    "listing.links",
    title=gettext_noop("Addresses that answer"),
    advice=gettext_noop("Correct the addresses that lead nowhere: the listing sends people there."),
    fresh=LINKS_FRESH,
)
def links(subject: Subject, sources: Sources) -> Result:
    """Homepage, documentation and every other address that was given answer."""
    outcome, said, seen = judged(ask_all(sources, addresses_of(subject)[:MOST_ADDRESSES]))
    return Result(outcome, said, seen)


@check(
    "listing.contacts",
    title=gettext_noop("Support contacts"),
    advice=gettext_noop("Name an e-mail address that people of yours read, best one that outlives a person's job."),
)
def contacts(subject: Subject, sources: Sources) -> Result:
    """There are e-mail addresses, and each could be written to by its form. Nothing is sent."""
    found = list(dict.fromkeys(_mails(subject)))
    bad = [mail for mail in found if not _is_reachable(mail)]
    seen = tuple(Evidence("Contact", mail) for mail in (bad or found)[:10])
    if not found:
        return Result(Outcome.NOT_RUN, "No e-mail address is given yet.")
    if bad:
        return Result(Outcome.FAIL, f"Nobody can be reached at {bad[0]}.", seen)
    return Result(Outcome.PASS, f"{len(found)} e-mail addresses that can be written to by their form.", seen)


def _mails(subject: Subject) -> Iterator[str]:
    for given in subject.answers.values():
        for value in given.values():
            if isinstance(value, str):
                yield from MAIL.findall(value)


def _is_reachable(mail: str) -> bool:
    name, _, domain = mail.rstrip(".").rpartition("@")
    plain = not (name.startswith(".") or name.endswith(".") or ".." in name)
    return plain and DOMAIN.fullmatch(domain.lower()) is not None and not PLACEHOLDERS.search(domain.lower())


@check(
    "listing.run_task_docs",
    title=gettext_noop("Public documentation of the run task"),
    advice=gettext_noop(
        "Add what is missing to the public page; pictures of a stopped and of a passed run serve best."
    ),
    help=RUN_TASKS,
)
def run_task_docs(subject: Subject, sources: Sources) -> Result:
    """The public page answers, and its words speak of creating, attaching, stages, stopping and passing. A hint."""
    address = str(subject.answer("documentation"))
    if not address:
        return Result(Outcome.NOT_RUN, "No address of the documentation is given yet.")
    seen: tuple[Evidence, ...] = (Evidence("Page", address, address),)
    try:
        answer: Answer = sources.read(f"page:{address}", lambda: sources.web.ask(address, PAGE))
    except Refused as refusal:
        return Result(Outcome.NOT_RUN, f"The page was not asked for: {refusal}", seen)
    if answer.status in GONE:
        raise NotFound(f"{answer.link.netloc} answered {answer.status_line} for the documentation.")
    if answer.status in CLOSED:
        return Result(Outcome.FAIL, f"The page is not public: {answer.link.netloc} says {answer.status_line}.", seen)
    if answer.status != 200:
        raise Unavailable(f"{answer.link.netloc} answered {answer.status_line}.")
    page = page_of(answer.body)
    if not page.is_told:
        return Result(Outcome.NOT_RUN, "The page shows its words by scripts only, so a person reads it.", seen)
    missing = [what for what, words in TOLD.items() if not all(re.search(word, page.text) for word in words)]
    seen += (Evidence("Pictures", str(page.images)), *(Evidence("Not found", what) for what in missing))
    return Result(*_told(missing, page), seen)


def _told(missing: list[str], page: Page) -> tuple[Outcome, str]:
    if missing:
        more = f", and {len(missing) - 1} things more" if missing[1:] else ""
        return Outcome.WARN, f"The page does not seem to say {missing[0]}{more}."
    if not page.images:
        return Outcome.WARN, "The page speaks of everything, but has no picture of a stopped and a passed run."
    return Outcome.PASS, "The page speaks of everything and has pictures."
