"""Tests of commit messages: Conventional Commits, an imperative subject, and a body for larger changes."""

import re
import subprocess

import pytest

from tests.codebase.project_files import ROOT

TYPES = ("build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
SUBJECT_PATTERN = re.compile(rf"(?:{'|'.join(TYPES)})(?:\([a-z0-9/-]+\))?!?: (?P<verb>[A-Za-z-]+)\b.*[^.]")
IMPERATIVES = {"bring", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "spring"}
MAX_SUBJECT_LENGTH = 72
MAX_LINES_WITHOUT_BODY = 50


def list_problems(subject: str, body: str, changed_lines: int) -> list[str]:
    """Return what is wrong with a commit message."""
    problems = []
    match = SUBJECT_PATTERN.fullmatch(subject)
    if not match:
        problems.append("write the subject as “type(scope): verb …”, without a period at the end")
    elif match["verb"].endswith(("ed", "ing")) and match["verb"] not in IMPERATIVES:
        problems.append(f"write an imperative instead of “{match['verb']}”")
    if len(subject) > MAX_SUBJECT_LENGTH:
        problems.append(f"shorten the subject to {MAX_SUBJECT_LENGTH} characters")
    if changed_lines > MAX_LINES_WITHOUT_BODY and not body.strip():
        problems.append(f"explain a change of more than {MAX_LINES_WITHOUT_BODY} lines in a body")
    return problems


def run_git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_commits_since_this_test_follow_the_rules() -> None:
    # in a shallow clone, the oldest commit seems to add this file: fewer commits are checked;
    # the pattern finds it in its earlier folders too
    added = run_git("log", "--diff-filter=A", "--format=%H", "--", "*/test_commit_messages.py").split()
    commit_format = "--format=%x00%h%x1f%s%x1f%b%x1f"  # Git appends the lines of --numstat
    log = run_git("log", "--no-merges", "--numstat", commit_format, f"{added[-1]}..HEAD") if added else ""
    problems = {}
    for commit in log.split("\0")[1:]:
        name, subject, body, counts = commit.split("\x1f")
        changed_lines = sum(int(new) + int(old) for new, old in re.findall(r"^(\d+)\t(\d+)", counts, re.MULTILINE))
        if reasons := list_problems(subject, body, changed_lines):
            problems[f"{name} {subject}"] = reasons
    assert problems == {}


@pytest.mark.parametrize(
    ("subject", "body", "changed_lines", "expected"),
    [
        ("feat(sla): show remaining time on issue rows", "Why.", 400, []),
        ("fix!: embed the logo", "", 50, []),
        ("Show remaining time", "", 1, ["write the subject as “type(scope): verb …”, without a period at the end"]),
        ("fix: added a field", "", 1, ["write an imperative instead of “added”"]),
        (f"fix: show {'x' * 63}", "", 1, ["shorten the subject to 72 characters"]),
        ("fix: show a field", " \n", 51, ["explain a change of more than 50 lines in a body"]),
    ],
)
def test_problems_of_a_commit_message_are_listed(
    subject: str, body: str, changed_lines: int, expected: list[str]
) -> None:
    assert list_problems(subject, body, changed_lines) == expected
