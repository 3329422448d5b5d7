"""Verdict of a program's policy on license files: allow, deny, or review (a person decides).

The policy is strict: `allow` requires that every word of a file is explained (verification.licenses.coverage), `deny`
that the file is a license that is not on the list. Everything else is `review`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from portal.core.value_types import JsonObject
from verification.licenses.inspection import FileAnalysis, Finding, analyze_file

MIN_UNLISTED_SHARE = 0.75  # of a file that must look like unlisted licenses for a denial without a reviewer
LICENSE_FILE_PATTERN = re.compile(
    r"(?:[^/]*[-_.])?(?:licen[sc]es?|copying|unlicense)(?:[-_.][^/]*)?$|licenses/[^/]+$", re.I
)
MAX_MESSAGES = 6
NO_RULE = "The program publishes no license rule."
NO_TEXT = "No license text is recognized."
NO_FILE = "No license file found. Add one, such as LICENSE, to the repository."
UNCLEAR = "The files contain different licenses and don't say how they apply together."


class Verdict(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Policy:
    """SPDX IDs that pass, and IDs on which a reviewer decides. If both are empty, the program has no rule."""

    allow: frozenset[str]
    manual_review: frozenset[str] = frozenset()

    @property
    def has_rule(self) -> bool:
        return bool(self.allow or self.manual_review)

    def is_listed(self, id: str) -> bool:
        """Return whether a license is on the list. A point release such as Python-2.0.1 counts as Python-2.0."""
        listed_ids = self.allow | self.manual_review
        return id in listed_ids or any(id.startswith(f"{family}.") for family in listed_ids)


@dataclass(frozen=True, slots=True)
class Judgment:
    """Verdict on one file or on all files of a repository.

    Attributes:
        expression: The SPDX expression, blank if no license is recognized.
        confidence: The share of the letters that is known text, from 0 to 1. It is 1 if the verdict is to allow.
        reasons: The sentences that explain the verdict and the findings.
        findings: The places that need review.
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
    """Return whether a path is a license file of the whole repository, not of a part in a folder."""
    return bool(LICENSE_FILE_PATTERN.match(path))


def evaluate_file(raw: bytes, policy: Policy) -> Judgment:
    """Return the verdict on one file's content."""
    analysis = analyze_file(raw)
    verdict, reasons = decide_verdict(analysis, policy)
    confidence = 1.0 if verdict is Verdict.ALLOW else round(min(analysis.share, 0.99), 2)
    findings = analysis.findings if verdict is Verdict.REVIEW else ()
    return Judgment(analysis.expression, confidence, verdict, tuple(reasons), findings)


def decide_verdict(analysis: FileAnalysis, policy: Policy) -> tuple[Verdict, list[str]]:
    if analysis.read_error:
        return Verdict.REVIEW, [analysis.read_error]
    if not analysis.ids:
        return Verdict.REVIEW, [NO_TEXT, *list_messages(analysis)]
    # Without a published list, there are no grounds for a denial.
    if not policy.has_rule:
        return Verdict.ALLOW, [NO_RULE]
    # The Commons Clause changes any license, so even an intact text of a listed one doesn't pass with it.
    if analysis.restriction:
        return Verdict.DENY, [analysis.restriction]
    if analysis.is_clean:
        return decide_clean_verdict(analysis, policy)
    unlisted_ids = [id for id in analysis.ids if not policy.is_listed(id)]
    if len(unlisted_ids) == len(analysis.ids) and analysis.calculate_share(unlisted_ids) >= MIN_UNLISTED_SHARE:
        return Verdict.DENY, describe_unlisted(unlisted_ids)
    return Verdict.REVIEW, [*list_messages(analysis), *describe_unlisted(unlisted_ids)]


def decide_clean_verdict(analysis: FileAnalysis, policy: Policy) -> tuple[Verdict, list[str]]:
    """Return the verdict on a file in which every word is explained."""
    texts = analysis.reading.texts
    if analysis.reading.choice:
        # The text of the chosen license has to be in the file. Naming the license isn't enough.
        passing = [id for id in analysis.reading.choice if id in policy.allow and id in texts]
        if passing:
            return Verdict.ALLOW, [f"The file offers a choice of licenses, and {passing[0]} is on the list."]
        return Verdict.REVIEW, ["The file offers a choice of licenses but contains no text of a listed license."]
    unlisted_ids = [id for id in texts if not policy.is_listed(id)]
    if unlisted_ids:
        return Verdict.DENY, describe_unlisted(unlisted_ids)
    review_ids = [id for id in texts if id not in policy.allow]
    if review_ids:
        return Verdict.REVIEW, [f"A reviewer decides on {id}." for id in review_ids]
    return Verdict.ALLOW, [f"The text is {id}, word for word." for id in texts]


def list_messages(analysis: FileAnalysis) -> list[str]:
    texts = [finding.message for finding in analysis.findings]
    hidden_count = len(texts) - MAX_MESSAGES
    return texts[:MAX_MESSAGES] + ([f"More places that need review: {hidden_count}."] if hidden_count > 0 else [])


def describe_unlisted(ids: list[str]) -> list[str]:
    return [f"{id} is not on the program's list." for id in ids]


def evaluate_files(files: Mapping[str, bytes], policy: Policy) -> tuple[Judgment, dict[str, Judgment]]:
    """Return the verdict on a repository by all of its license files (path to content), and the verdict on each."""
    judgments = {path: evaluate_file(raw, policy) for path, raw in files.items()}
    if len(judgments) == 1:
        return next(iter(judgments.values())), judgments
    verdict, reasons = combine_verdicts(judgments, [analyze_file(raw) for raw in files.values()], policy)
    expressions = [judgment.expression for judgment in judgments.values() if judgment.expression]
    choice = next((expression for expression in expressions if " OR " in expression), "")
    expression = choice if choice and verdict is Verdict.ALLOW else _join_expressions(sorted(set(expressions)))
    confidences = (judgment.confidence for judgment in judgments.values())
    confidence = 1.0 if verdict is Verdict.ALLOW else min(confidences, default=0.0)
    return Judgment(expression, confidence, verdict, tuple(reasons)), judgments


def _join_expressions(expressions: list[str]) -> str:
    """Return the SPDX expression that requires all of the expressions."""
    if len(expressions) == 1:
        return expressions[0]
    # AND takes precedence over OR (SPDX Specification, Annex D).
    return " AND ".join(f"({each})" if " OR " in each else each for each in expressions)


def combine_verdicts(
    judgments: dict[str, Judgment], analyses: list[FileAnalysis], policy: Policy
) -> tuple[Verdict, list[str]]:
    if not judgments:
        return Verdict.REVIEW, [NO_FILE]
    verdicts = {judgment.verdict for judgment in judgments.values()}
    reasons = [f"{path}: {reason}" for path, judgment in judgments.items() for reason in judgment.reasons]
    # Files that agree need no choice between them.
    if len(verdicts) == 1:
        return verdicts.pop(), reasons
    if passing := find_chosen_license(analyses, policy):
        return Verdict.ALLOW, [f"The files offer a choice of licenses, and {passing} is on the list."]
    return Verdict.REVIEW, [UNCLEAR, *reasons]


def find_chosen_license(analyses: list[FileAnalysis], policy: Policy) -> str:
    """Return the listed license that one file offers and another contains, if no file contains anything else."""
    clean_readings = [file.reading for file in analyses if file.is_clean]
    offered_ids = next((reading.choice for reading in clean_readings if reading.choice), ())
    texts = {id for reading in clean_readings for id in reading.texts}
    has_nothing_else = all(
        (file.ids or file.is_clean)
        and set(file.ids) <= set(offered_ids)
        and (file.is_clean or not set(file.ids) & policy.allow)
        for file in analyses
    )
    return next((id for id in offered_ids if has_nothing_else and id in policy.allow and id in texts), "")
