"""Recognition of the programs that fit an address, with the reasons. The signs are from their documents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, Program
from integrations.programs.selectors import get_edition_in_force
from verification.discovery.reading import Reading

# HCP Terraform accepts no other status, not even 202 (Run Tasks Integration API).
OK_STATUS = 200


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a program fits. `code` is a key of REASON_TEXTS in the presenters, `value` what was found."""

    code: str
    value: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """Program that fits, and the reasons."""

    program: str
    reasons: tuple[Reason, ...]


def recognize(reading: Reading) -> list[Candidate]:
    """Return the programs that fit, the one with the most reasons first."""
    candidates = (Candidate(key, tuple(_list_reasons(program, reading))) for key, program in PROGRAMS.items())
    # Sorting is stable, so programs with as many reasons keep their order.
    return sorted(filter(attrgetter("reasons"), candidates), key=lambda candidate: -len(candidate.reasons))


def find_category(edition: Edition, repository_name: str) -> str:
    """Return the category that the repository name or the edition leaves, or an empty string."""
    # A program with one category doesn't ask for it.
    if len(edition.categories) == 1:
        return edition.categories[0].key
    return next((each.key for each in edition.categories if _is_match(each.repository_pattern, repository_name)), "")


def _list_reasons(program: Program, reading: Reading) -> Iterator[Reason]:
    edition = get_edition_in_force(program.key)
    checks = {key for requirement in edition.list_requirements() for key in requirement.checks}
    if module := next((module for module in program.sdk_modules if module in reading.go_module.requires), ""):
        yield Reason("module", module)
    if _is_named_like(program, edition, reading.name):
        yield Reason("name", reading.name)
    # A program whose checks read the registry is one for providers.
    if reading.listing is not None and "registry.listed" in checks:
        yield Reason("listing", reading.listing.full_name)
    if reading.providers and "registry.listed" in checks:
        yield Reason("namespace", reading.namespace)
    if reading.reply is not None and reading.reply.status == OK_STATUS and "run_task.test_run" in checks:
        yield Reason("endpoint", str(reading.reply.status))


def _is_named_like(program: Program, edition: Edition, name: str) -> bool:
    patterns = (program.repository_pattern, *(category.repository_pattern for category in edition.categories))
    return any(_is_match(pattern, name) for pattern in patterns)


def _is_match(pattern: str, name: str) -> bool:
    return bool(pattern and re.match(pattern, name))
