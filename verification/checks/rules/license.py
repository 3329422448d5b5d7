"""Check of the license files in the released commit, word for word, against the program's list.

GitHub's own answer is a second opinion: if it names another license than the files contain, a reviewer decides.
"""

import re
from dataclasses import replace

from portal.core.content_files import Content, load_content
from verification.checks.rules.repository import build_repository_evidence, build_repository_state, with_repository
from verification.checks.rules.shared_reads import determine_ref, read_code
from verification.checks.types import CONTENT_FOLDER, Subject, register_check
from verification.licenses.inspection import Problem, analyze_file
from verification.licenses.normalization import MAX_BYTES
from verification.licenses.policy import (
    Judgment,
    Policy,
    Verdict,
    evaluate_file,
    evaluate_files,
    is_license_file,
)
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.github.responses import GitHubRepository
from verification.sources.repository_snapshot import RepositoryFile, RepositorySnapshot

# GitHub's values for a license file that it doesn't recognize. They aren't a second opinion.
UNKNOWN_GITHUB_LICENSES = ("", "NOASSERTION", "OTHER")
NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # "AcmeEULA" has two
# The last extension decides: a language or a version can come before it, as in "EULA.zh-CN.md".
PROSE = re.compile(r"[^./]+|[^/]+\.(?:md|txt|rst|html?|adoc|pdf|rtf|docx?)", re.I)
PART_LICENSE_PATTERN = re.compile(r"(?:[^/]+/){1,2}(?:licen[sc]e|copying)(?:\.[^/.]*)?", re.I)
# Files in these folders belong to other projects, and those in licenses/ to the whole repository.
THIRD_PARTY_FOLDERS = frozenset(
    {"vendor", "node_modules", "third_party", "third-party", "testdata", "examples", "licenses"}
)
MANUAL_DECISION = "A reviewer decides"
MAX_LICENSE_FILES = 12
MAX_REASONS = 6


class FileWords(Content):
    """Content of license_file_words.yaml."""

    terms: tuple[str, ...]
    notice: tuple[str, ...]


FILE_WORDS = load_content(CONTENT_FOLDER / "license_file_words.yaml", FileWords)


@register_check("repository.license", with_repository)
def check_license(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    # The licenses of the released commit count, because users get that code rather than the default branch.
    code = read_code(subject, sources, determine_ref(subject, sources))
    state = (*build_repository_state(repository), ("commit", code.commit))
    return replace(_evaluate_code(subject, repository, code), inspected_revisions=state)


def _evaluate_code(subject: Subject, repository: GitHubRepository, code: RepositorySnapshot) -> Result:
    license_files, part_files, other_files = classify_license_files(code)
    # An unread file could add terms, so nothing passes without it.
    if code.is_truncated or len(license_files) + len(part_files) > MAX_LICENSE_FILES:
        reason = "The repository has more license files than we read."
        return _build_manual_decision_result(reason, (build_repository_evidence(repository),))
    if not license_files:
        return _build_missing_file_result(repository, code)
    policy = Policy(subject.licenses.allow, subject.licenses.manual_review)
    judgment, judgment_by_path = evaluate_files({file.path: read_content(code, file) for file in license_files}, policy)
    others = tuple(Evidence("Also found", file.path) for file in other_files[:MAX_LICENSE_FILES])
    evidence = _build_evidence(repository, code, judgment_by_path, subject) + others
    outcome, summary = decide_outcome(judgment, repository.license_spdx, policy)
    if outcome == Outcome.PASS and policy.has_rule and (doubt := find_doubt(code, policy)):
        return _build_manual_decision_result(doubt, evidence)
    return Result(outcome, summary, evidence)


def classify_license_files(
    code: RepositorySnapshot,
) -> tuple[list[RepositoryFile], list[RepositoryFile], list[RepositoryFile]]:
    """Return the license files of the whole project, those of its parts, and further files that could contain terms."""
    license_files = [file for file in code.files if is_license_file(file.path)]
    parts = (file for file in code.files if PART_LICENSE_PATTERN.fullmatch(file.path))
    part_files = [file for file in parts if THIRD_PARTY_FOLDERS.isdisjoint(file.path.lower().split("/"))]
    prose = (file for file in code.files if PROSE.fullmatch(file.path) and is_about_terms(file.path))
    return license_files, part_files, [file for file in prose if file not in license_files]


def is_about_terms(path: str, beginnings: tuple[str, ...] = FILE_WORDS.terms + FILE_WORDS.notice) -> bool:
    """Return whether the name of a file has a word with one of these beginnings, as AcmeEULA.txt has."""
    return any(word.lower().startswith(beginnings) for word in NAME_WORD.findall(path))


def read_content(code: RepositorySnapshot, file: RepositoryFile) -> bytes:
    """Return the content of a file. A file that is too large isn't read: a reviewer decides about it."""
    # The analysis refuses to read any content above its limit, so the size alone leads to a review.
    return b" " * (MAX_BYTES + 1) if file.size > MAX_BYTES else code.open(file).encode()


def decide_outcome(judgment: Judgment, github_license: str, policy: Policy) -> tuple[Outcome, str]:
    """Return the verdict of the license policy, with GitHub's answer as a second opinion."""
    reasons = _join_reasons(judgment.reasons)
    if not policy.has_rule:
        license_name = judgment.expression or "An unrecognized license"
        return Outcome.PASS, f"{license_name}. The program publishes no license rule."
    if judgment.verdict is Verdict.REVIEW:
        return Outcome.NOT_RUN, reasons if reasons.startswith(MANUAL_DECISION) else f"{MANUAL_DECISION}: {reasons}"
    # GitHub's license neither allows nor denies: a contradiction only leads to a review.
    if _has_github_contradiction(judgment, github_license, policy):
        contradiction = f"GitHub detects {github_license}, and we detect {judgment.expression}."
        return Outcome.NOT_RUN, f"{MANUAL_DECISION}: {contradiction} {reasons}"
    if judgment.verdict is Verdict.DENY:
        return Outcome.FAIL, reasons
    return Outcome.PASS, f"{judgment.expression} is on the program's list."


def _has_github_contradiction(judgment: Judgment, github_license: str, policy: Policy) -> bool:
    """Return whether GitHub names a different license. GitHub doesn't recognize many licenses, and then there is no
    conflict.
    """
    if github_license in UNKNOWN_GITHUB_LICENSES:
        return False
    named_licenses = {name.strip("()") for name in re.split(r" (?:AND|OR) ", judgment.expression)}
    if judgment.verdict is Verdict.DENY:
        return github_license in policy.allow
    return github_license not in named_licenses


def find_doubt(code: RepositorySnapshot, policy: Policy) -> str:
    """Return why a reviewer must decide although the license itself is fine: terms of a part, or in a further file."""
    license_files, part_files, other_files = classify_license_files(code)
    # Each file is a request.
    if len(other_files) > MAX_LICENSE_FILES:
        return "The repository has more files that could contain terms than we read."
    for file in part_files:
        if evaluate_file(read_content(code, file), policy).verdict is not Verdict.ALLOW:
            return f"{file.path} has separate terms for part of the repository."
    own = (analyze_file(read_content(code, file)) for file in license_files)
    ids = tuple(dict.fromkeys(id for analysis in own for id in analysis.ids))
    for file in other_files:
        notice_of = ids if is_about_terms(file.path, FILE_WORDS.notice) else ()
        if doubt := describe_further_terms(read_content(code, file), policy, notice_of):
            return f"{file.path}: {doubt}"
    return ""


def describe_further_terms(content: bytes, policy: Policy, notice_of: tuple[str, ...]) -> str:
    """Return what a file such as LEGAL.md adds to the license, "" if it only repeats it or names holders.

    `notice_of` holds the licenses of the repository if the file is its NOTICE, which also names dependencies.
    """
    inspection = analyze_file(content, notice_of)
    if inspection.read_error or inspection.restriction:
        return inspection.read_error or inspection.restriction
    findings = [f for f in inspection.findings if not (notice_of and f.problem is Problem.SIMILAR_TEXT)]
    if findings:
        return findings[0].message
    unlisted_ids = [id for id in (inspection.reading.texts if notice_of else inspection.ids) if id not in policy.allow]
    return f"it contains {unlisted_ids[0]}, which isn't on the program's list." if unlisted_ids else ""


def _build_missing_file_result(repository: GitHubRepository, code: RepositorySnapshot) -> Result:
    evidence = (
        build_repository_evidence(repository),
        Evidence("License according to GitHub", repository.license_spdx or "none found"),
    )
    hint = " GitHub detects one on the default branch. Include it in a release." if repository.license_spdx else ""
    return Result(Outcome.FAIL, f"The commit {code.commit[:7]} has no license file.{hint}", evidence)


def _build_manual_decision_result(reason: str, evidence: tuple[Evidence, ...]) -> Result:
    return Result(Outcome.NOT_RUN, f"{MANUAL_DECISION}: {reason}", evidence)


def _build_evidence(
    repository: GitHubRepository, code: RepositorySnapshot, judgment_by_path: dict[str, Judgment], subject: Subject
) -> tuple[Evidence, ...]:
    folder_url = f"{repository.html_url}/blob/{code.commit}"
    verdicts = {
        path: f"{judgment.expression or 'not recognized'}: {_join_reasons(judgment.reasons)}"
        for path, judgment in judgment_by_path.items()
    }
    return (
        *(Evidence(path, verdict, f"{folder_url}/{path}") for path, verdict in verdicts.items()),
        Evidence("License according to GitHub", repository.license_spdx or "none found", repository.html_url),
        Evidence("Accepted by the program", subject.licenses.summary or "no published rule"),
    )


def _join_reasons(reasons: tuple[str, ...]) -> str:
    omitted_count = len(reasons) - MAX_REASONS
    return " ".join(reasons[:MAX_REASONS]) + (f" And {omitted_count} more." if omitted_count > 0 else "")
