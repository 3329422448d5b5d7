"""Check of the license files of the released commit, read word for word, against the program's list.

GitHub's own answer is a second opinion: where it names another licence than the files hold, a person decides.
"""

import re
from collections.abc import Iterable

from portal.core.translation import gettext_noop
from verification.checks.rules.repository import looked_at, read, shown
from verification.checks.rules.shared_reads import code_at, ref_of
from verification.checks.types import Subject, check
from verification.licenses.findings import Problem
from verification.licenses.inspection import look, see
from verification.licenses.normalization import MAX_BYTES
from verification.licenses.policy import NO_RULE, Judgement, Policy, Verdict, is_licence_file, judge, judge_all
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.github.client import Repository
from verification.sources.repository_snapshot import Code, File

NO_OPINION = ("", "NOASSERTION", "OTHER")
NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # "AcmeEULA" has two
# beginnings of words in the names of files that can hold terms
OTHER_TERMS = (
    "eula",
    "licens",
    "licenc",
    "commerc",
    "restrict",
    "addend",
    "addit",
    "trademark",
    "pricing",
    "propriet",
    "legal",
    "terms",
    "tos",
    "aup",
    "patent",
    "condition",
    "agreement",
    "acceptable",
    "commons",
    "usage",
)
PROSE = re.compile(r"[^./]+(?:\.(?:md|txt|rst|html?|adoc|pdf|rtf|docx?))*", re.I)
NOTICE = ("notice", "attribution", "credits", "acknowledg")
PART = re.compile(r"(?:[^/]+/){1,2}(?:licen[sc]e|copying)(?:\.[^/.]*)?", re.I)
OF_OTHERS = frozenset({"vendor", "node_modules", "third_party", "third-party", "testdata", "examples", "licenses"})
PERSON = "A person decides"
MOST_FILES = 12
MOST_REASONS = 6


@check(
    "repository.licence",
    title=gettext_noop("Licence"),
    advice=gettext_noop(
        "Add a LICENSE file with one of the licences that the program accepts, unchanged, and release it."
    ),
    version=2,
)
def licence(subject: Subject, sources: Sources) -> Result:
    """The licence files of the newest release's commit against the edition's policy; what is unclear is a person's."""
    found = read(subject, sources)
    if isinstance(found, Result):
        return found
    code = code_at(subject, sources, ref_of(subject, sources))
    own, parts, others = sorted_out(code)
    if code.cut or len(own) + len(parts) > MOST_FILES:
        return _for_a_person("there are more licence files than we read.", found, code, ())
    if not own:
        return _without_file(found, code)
    policy = Policy(subject.licences_allowed, subject.licences_asked)
    whole, each = judge_all({file.path: content(code, file) for file in own}, policy)
    seen = (*_evidence(found, code, each, subject), *(Evidence("Also there", file.path) for file in others))
    outcome, summary = decided(whole, found.licence_spdx, policy)
    if outcome == Outcome.PASS and whole.reasons != (NO_RULE,):
        doubt = beside(code, parts, others, policy)
        if doubt:
            return _for_a_person(doubt, found, code, seen)
    return Result(outcome, summary, seen, _state(found, code))


def sorted_out(code: Code) -> tuple[list[File], list[File], list[File]]:
    """The licence files of the whole, those of its parts, and further files that could hold terms."""
    own = [file for file in code.files if is_licence_file(file.path)]
    parts = [f for f in code.files if PART.fullmatch(f.path) and not OF_OTHERS & set(f.path.lower().split("/"))]
    others = [f for f in code.files if PROSE.fullmatch(f.path) and is_about_terms(f.path) and f not in own]
    return own, parts, others


def is_about_terms(path: str, beginnings: tuple[str, ...] = OTHER_TERMS + NOTICE) -> bool:
    """Return whether the name of a file has a word with one of these beginnings, as AcmeEULA.txt has."""
    return any(word.lower().startswith(beginnings) for word in NAME_WORD.findall(path.partition(".")[0]))


def content(code: Code, file: File) -> bytes:
    """Return what stands in a file. One that is too large is not read: the gate leaves it to a person."""
    return b" " * (MAX_BYTES + 1) if file.size > MAX_BYTES else code.open(file).encode()


def decided(whole: Judgement, github: str, policy: Policy) -> tuple[Outcome, str]:
    """The gate's verdict, with GitHub's as second opinion."""
    reasons = _told(whole.reasons)
    if not (policy.allow or policy.ask):
        said = whole.expression or "A licence that is not recognised"
        return Outcome.PASS, f"{said}; the program publishes no rule about licences."
    if whole.verdict is Verdict.REVIEW:
        return Outcome.NOT_RUN, reasons if reasons.startswith(PERSON) else f"{PERSON}: {reasons}"
    if _contradicts(whole, github, policy):
        return (
            Outcome.NOT_RUN,
            f"{PERSON}: GitHub takes it for {github}, and we read {whole.expression}. {reasons}",
        )
    if whole.verdict is Verdict.DENY:
        return Outcome.FAIL, reasons
    return Outcome.PASS, f"{whole.expression} is on the program's list."


def _contradicts(whole: Judgement, github: str, policy: Policy) -> bool:
    """Return whether GitHub names another license; it does not know many, and then it has no opinion."""
    if github in NO_OPINION:
        return False
    named = set(re.split(r" (?:AND|OR) ", whole.expression))
    if whole.verdict is Verdict.DENY:
        return github in policy.allow
    return github not in named


def beside(code: Code, parts: Iterable[File], others: Iterable[File], policy: Policy) -> str:
    """Say why a person has to look although the license itself is fine: terms of a part, or in a further file."""
    for file in parts:
        if judge(content(code, file), policy).verdict is not Verdict.ALLOW:
            return f"{file.path} has terms of its own for a part of it."
    own = (see(content(code, file)) for file in code.files if is_licence_file(file.path))
    ids = tuple(dict.fromkeys(id for found in own for id in found.ids))
    for file in others:
        if doubt := further_terms(content(code, file), policy, ids if is_about_terms(file.path, NOTICE) else ()):
            return f"{file.path}: {doubt}"
    return ""


def further_terms(raw: bytes, policy: Policy, notice_of: tuple[str, ...] = ()) -> str:
    """Say what a file such as LEGAL.md adds to the license; "" where it only repeats it or names holders.

    `notice_of` holds the licenses of the repository where the file is its NOTICE: that names dependencies too.
    """
    found = look(raw, notice_of) if notice_of else see(raw)
    if found.trouble or found.restriction:
        return found.trouble or found.restriction
    findings = [f for f in found.findings if not (notice_of and f.problem is Problem.SIMILAR_TEXT)]
    if findings:
        return findings[0].message
    unlisted = [id for id in (found.reading.texts if notice_of else found.ids) if id not in policy.allow]
    return f"it holds {unlisted[0]}, which is not on the program's list." if unlisted else ""


def _without_file(found: Repository, code: Code) -> Result:
    seen = (shown(found), Evidence("Licence according to GitHub", found.licence_spdx or "none found"))
    late = " GitHub finds one on the default branch: release it." if found.licence_spdx else ""
    summary = f"There is no licence file in the commit {code.commit[:7]}.{late}"
    return Result(Outcome.FAIL, summary, seen, _state(found, code))


def _for_a_person(why: str, found: Repository, code: Code, seen: tuple[Evidence, ...]) -> Result:
    return Result(Outcome.NOT_RUN, f"{PERSON}: {why}", seen or (shown(found),), _state(found, code))


def _evidence(found: Repository, code: Code, each: dict[str, Judgement], subject: Subject) -> tuple[Evidence, ...]:
    files = (
        Evidence(
            path, f"{judgement.expression or 'not recognised'}: {_told(judgement.reasons)}", _page(found, code, path)
        )
        for path, judgement in each.items()
    )
    return (
        *files,
        Evidence("Licence according to GitHub", found.licence_spdx or "none found", found.html_url),
        Evidence("The program accepts", subject.licence_summary or "no published rule"),
    )


def _page(found: Repository, code: Code, path: str) -> str:
    return f"{found.html_url}/blob/{code.commit}/{path}"


def _told(reasons: tuple[str, ...]) -> str:
    more = len(reasons) - MOST_REASONS
    return " ".join(reasons[:MOST_REASONS]) + (f" And {more} more." if more > 0 else "")


def _state(found: Repository, code: Code) -> tuple[tuple[str, str], ...]:
    return (*looked_at(found), ("commit", code.commit))
