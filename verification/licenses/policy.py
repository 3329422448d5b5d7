"""Verdict of a program's policy on license files: allow, deny, or review (a person decides).

Deny by default: `allow` needs every word of a file explained (verification.licenses.coverage), `deny` needs the file to
be a license that is not on the list, and all else is `review`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from portal.core.value_types import JsonObject
from verification.licenses.findings import Finding
from verification.licenses.inspection import FileAnalysis, analyze_file

MIN_UNLISTED_SHARE = 0.75  # of a file that must look like unlisted licenses to be denied without a reviewer
LICENSE_FILE_PATTERN = re.compile(
    r"(?:[^/]*[-_.])?(?:licen[sc]es?|copying|unlicense)(?:[-_.][^/]*)?$|licenses/[^/]+$", re.I
)
MAX_MESSAGES = 6
NO_RULE = "The program publishes no license rule."
NO_TEXT = "No license text is recognized."
NO_FILE = "There is no license file."
UNCLEAR = "The files contain different licenses and don't say how they apply together."


class Verdict(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Policy:
    """SPDX ids that pass, and ids on which a reviewer decides. Both empty: no rule."""

    allow: frozenset[str]
    manual_review: frozenset[str] = frozenset()

    def is_listed(self, id: str) -> bool:
        """Return whether that license, or an earlier point version of it, is on the list ("Python-2.0.1")."""
        listed_ids = self.allow | self.manual_review
        return id in listed_ids or any(id.startswith(f"{family}.") for family in listed_ids)


@dataclass(frozen=True, slots=True)
class Judgment:
    """Verdict on a file, or of a repository's files. `expression`: SPDX, "" where nothing is recognized.

    `confidence`: the part of the letters, 0 to 1, that is known text; 1 for what is allowed. `findings` are the places
    that need review; `reasons` tell them and all else in sentences.
    """

    expression: str
    confidence: float
    verdict: Verdict
    reasons: tuple[str, ...]
    findings: tuple[Finding, ...] = ()

    def as_dict(self) -> JsonObject:
        return {
            "expression": self.expression,
            "confidence": self.confidence,
            "verdict": str(self.verdict),
            "reasons": list(self.reasons),
            "findings": [finding.as_dict() for finding in self.findings],
        }


def is_license_file(path: str) -> bool:
    """Return whether a path is that of a license file of the whole repository, not of a part in a folder."""
    return bool(LICENSE_FILE_PATTERN.match(path))


def judge(raw: bytes, policy: Policy) -> Judgment:
    """Return the verdict on one file's content."""
    analysis = analyze_file(raw)
    verdict, reasons = decide_verdict(analysis, policy)
    confidence = 1.0 if verdict is Verdict.ALLOW else round(min(analysis.share, 0.99), 2)
    findings = analysis.findings if verdict is Verdict.REVIEW else ()
    return Judgment(analysis.expression, confidence, verdict, tuple(reasons), findings)


def decide_verdict(analysis: FileAnalysis, policy: Policy) -> tuple[Verdict, list[str]]:
    if analysis.trouble:
        return Verdict.REVIEW, [analysis.trouble]
    if not analysis.ids:
        return Verdict.REVIEW, [NO_TEXT, *list_messages(analysis)]
    if not (policy.allow or policy.manual_review):
        return Verdict.ALLOW, [NO_RULE]
    if analysis.restriction:
        return Verdict.DENY, [analysis.restriction]
    if analysis.clean:
        return decide_clean_verdict(analysis, policy)
    unlisted_ids = [id for id in analysis.ids if not policy.is_listed(id)]
    if len(unlisted_ids) == len(analysis.ids) and analysis.looks_like(unlisted_ids) >= MIN_UNLISTED_SHARE:
        return Verdict.DENY, describe_unlisted(unlisted_ids)
    return Verdict.REVIEW, [*list_messages(analysis), *describe_unlisted(unlisted_ids)]


def decide_clean_verdict(analysis: FileAnalysis, policy: Policy) -> tuple[Verdict, list[str]]:
    """Return the verdict on a file of which every word is explained."""
    texts = analysis.reading.texts
    if analysis.reading.choice:
        passing = [id for id in analysis.reading.choice if id in policy.allow and id in texts]
        if passing:
            return Verdict.ALLOW, [f"The file gives the choice, and {passing[0]} is on the list."]
        return Verdict.REVIEW, ["The file gives a choice but contains no license text that is on the list."]
    unlisted_ids = [id for id in texts if not policy.is_listed(id)]
    if unlisted_ids:
        return Verdict.DENY, describe_unlisted(unlisted_ids)
    review_ids = [id for id in texts if id not in policy.allow]
    if review_ids:
        return Verdict.REVIEW, [f"A reviewer decides about {id}." for id in review_ids]
    return Verdict.ALLOW, [f"The text is {id}, word for word." for id in texts]


def list_messages(analysis: FileAnalysis) -> list[str]:
    texts = [finding.message for finding in analysis.findings]
    more = len(texts) - MAX_MESSAGES
    return texts[:MAX_MESSAGES] + ([f"There are {more} more such places."] if more > 0 else [])


def describe_unlisted(ids: list[str]) -> list[str]:
    return [f"{id} is not on the program's list." for id in ids]


def judge_all(files: Mapping[str, bytes], policy: Policy) -> tuple[Judgment, dict[str, Judgment]]:
    """Return the verdict on a repository by all of its license files (path to content), and the verdict on each."""
    each = {path: judge(raw, policy) for path, raw in files.items()}
    if len(each) == 1:
        return next(iter(each.values())), each
    verdict, reasons = combine_verdicts(each, [analyze_file(raw) for raw in files.values()], policy)
    expression = " AND ".join(sorted({e.expression for e in each.values() if e.expression}))
    if any(" OR " in e.expression for e in each.values()) and verdict is Verdict.ALLOW:
        expression = next(e.expression for e in each.values() if " OR " in e.expression)
    confidence = 1.0 if verdict is Verdict.ALLOW else min((e.confidence for e in each.values()), default=0.0)
    return Judgment(expression, confidence, verdict, tuple(reasons)), each


def combine_verdicts(
    each: dict[str, Judgment], analysis: list[FileAnalysis], policy: Policy
) -> tuple[Verdict, list[str]]:
    if not each:
        return Verdict.REVIEW, [NO_FILE]
    verdicts = {judgment.verdict for judgment in each.values()}
    reasons = [f"{path}: {reason}" for path, judgment in each.items() for reason in judgment.reasons]
    if len(verdicts) == 1:
        return verdicts.pop(), reasons
    if passing := find_chosen_license(analysis, policy):
        return Verdict.ALLOW, [f"The files give the choice, and {passing} is on the list."]
    return Verdict.REVIEW, [UNCLEAR, *reasons]


def find_chosen_license(analysis: list[FileAnalysis], policy: Policy) -> str:
    """Return the listed license that one file offers and another holds, where no file holds anything else."""
    offered_ids = next((s.reading.choice for s in analysis if s.clean and s.reading.choice), ())
    texts = {id for s in analysis if s.clean for id in s.reading.texts}
    alone = all(
        (s.ids or s.clean) and set(s.ids) <= set(offered_ids) and (s.clean or not set(s.ids) & policy.allow)
        for s in analysis
    )
    return next((id for id in offered_ids if alone and id in policy.allow and id in texts), "")
