"""Every mistake in an edition's file is reported with its position, its location, and how to fix it."""

import re
from pathlib import Path
from types import MappingProxyType

import pytest

from integrations.programs.loader import load_edition_file, load_program, load_programs, require_known_checks
from portal.core.content_errors import ContentError
from tests.integrations.programs.guide_edition import (
    GUIDE,
    Write,
    find_position,
    list_problems,
    replace_attestation_with_check,
)


@pytest.mark.parametrize(
    ("old", "new", "location", "message"),
    [
        (
            "kind: attestation",
            "knid: attestation",
            "edition.steps[1].requirements[0].kind",
            "This key is required. Add it.",
        ),
        (
            "        statement:",
            "        statment:",
            "edition.steps[1].requirements[0].statment",
            "Unknown key. Did you mean 'statement'?",
        ),
        (
            "  mailbox: boundary@example.com\n",
            "",
            "edition.mailbox",
            "This key is required. Add it.",
        ),
        (
            "stage: develop",
            "stage: building",
            "edition.steps[1].stage",
            "'building' is not an allowed value. Use one of 'engage', 'develop', 'review', 'release', 'support', "
            "'withdrawn', 'declined' or 'archived'.",
        ),
        (
            "name: Host catalogs",
            "name: 5",
            "edition.categories[0].name",
            'The value is a number. Write text (quote a value such as "yes", "on", or "1.0").',
        ),
        (
            "offerings: [Open Source, Enterprise, HCP Boundary]",
            "offerings: Open Source",
            "edition.offerings",
            'The value is text. Write a list, one "- item" per line.',
        ),
        (
            "mailbox: boundary@example.com",
            "mailbox: Boundary team",
            "edition.mailbox",
            "'Boundary team' is not valid here. Write an email address.",
        ),
        (
            "- id: BO-2",
            "- id: BO/2",
            "edition.steps[1].requirements[0].id",
            "'BO/2' is not valid here. Write up to 40 letters, digits, hyphens, and underscores.",
        ),
        (
            "- key: hosts",
            f"- key: {'hosts' * 9}",
            "edition.categories[0].key",
            "String should have at most 40 characters. Correct the value.",
        ),
        (
            "        hours: 48",
            '        hours: "48"',
            "edition.sla.resolve.critical.hours",
            "The value is text. Write a whole number without quotes.",
        ),
        (
            "granted_at_release: true",
            'granted_at_release: "true"',
            "edition.tiers[0].granted_at_release",
            "The value is text. Write true or false.",
        ),
        (
            "type: email",
            "type: yes",
            "edition.steps[0].requirements[0].fields[0].type",
            "The value is a boolean. Use one of 'text', 'lines', 'url', 'email', 'choice', 'choices', "
            "'number', 'date' or 'yes', in quotes.",
        ),
        (
            "url: https://developer.hashicorp.com/boundary",
            "url: developer.hashicorp.com/boundary",
            "edition.links[0].url",
            "'developer.hashicorp.com/boundary' is not valid here. Write a URL that starts with https://.",
        ),
        (
            'date: "2026-09"',
            'date: "2026-13"',
            "edition.date",
            "'2026-13' is not valid here. Write a year and a month in quotes, such as \"2026-09\".",
        ),
        (
            "key: verified",
            "key: Verified",
            "edition.tiers[0].key",
            "'Verified' is not valid here. Write lowercase letters and digits, joined by single hyphens or "
            "underscores.",
        ),
        (
            "reason: Reviewers run the integration.",
            'reason: ""',
            "edition.steps[1].requirements[0]",
            'The requirement has no reason. Add a "reason".',
        ),
        (
            "id: BO-2",
            "id: BO-1",
            "edition.steps[1].requirements[0].id",
            "'BO-1' is already used at edition.steps[0].requirements[0].id. Use a unique key.",
        ),
        (
            "key: build",
            "key: engage",
            "edition.steps[1].key",
            "'engage' is already used at edition.steps[0].key. Use a unique key.",
        ),
        (
            "granted_at_release: true",
            "on_request: true",
            "edition.tiers",
            "Number of tiers granted at release: 0. Set granted_at_release for exactly one tier.",
        ),
    ],
)
def test_mistake_is_reported_with_its_location_and_fix(
    write: Write, old: str, new: str, location: str, message: str
) -> None:
    path = write((old, new))
    problems = [re.sub(r"^\d+:\d+: ", "", problem) for problem in list_problems(path)]
    assert f"{location}: {message}" in problems
    assert len(problems) <= 2  # a misspelled key is unknown, and the right one is missing


def test_every_mistake_of_a_file_is_reported_at_its_position(write: Write) -> None:
    path = write(("kind: attestation", "kind: pledge"), ("stage: review", "stage: looking"))
    text = path.read_text()
    positions = [problem.partition(": ")[0] for problem in list_problems(path)]
    assert positions == [find_position(text, "pledge"), find_position(text, "looking")]


def test_repeated_key_is_refused(write: Write) -> None:
    path = write(("  mailbox: boundary@example.com", "  mailbox: boundary@example.com\n  mailbox: b@example.com"))
    position = find_position(path.read_text(), "mailbox: b@example.com")
    assert list_problems(path) == [f"{position}: The key 'mailbox' is repeated. Remove one of the two."]


def test_broken_yaml_is_refused(write: Write) -> None:
    path = write(("HCP Boundary]", "HCP Boundary"))
    position = find_position(path.read_text(), ": Where a released")
    assert list_problems(path) == [f"{position}: Did not find expected ',' or ']'. Correct the YAML syntax."]


def test_file_of_another_program_or_date_is_refused(write: Write) -> None:
    problems = list_problems(write(program="waypoint", date="2026-10"))
    assert [problem.partition(": ")[2] for problem in problems] == [
        "program.key: The file is in the folder 'waypoint' but describes the program 'boundary'. Move the file or "
        "correct the key.",
        "edition.date: The file is named '2026-10.yaml' but contains the edition of 2026-09. Rename the file or "
        "correct the date.",
    ]


def test_unknown_check_is_refused_once_the_checks_are_known(write: Write, tmp_path: Path) -> None:
    path = write(*replace_attestation_with_check("repository.pubic"))
    with pytest.raises(ContentError) as refusal:
        require_known_checks(load_programs(tmp_path), {"repository.public"}, tmp_path)
    position = find_position(path.read_text(), "repository.pubic")
    assert str(refusal.value) == (
        f"{path}:{position}: edition.steps[1].requirements[0].checks[0]: Unknown check 'repository.pubic'. "
        "Did you mean 'repository.public'?"
    )


def test_renames_must_match_keys_of_both_editions(write: Write) -> None:
    write()
    newer = write(
        ('date: "2026-09"', 'date: "2026-10"\n  renames:\n    "2026-09":\n      hosts: machines\n      guests: hosts'),
        date="2026-10",
    )
    with pytest.raises(ContentError) as refusal:
        load_program(newer.parent)
    assert [str(problem).partition(": ")[2] for problem in refusal.value.problems] == [
        "edition.renames.2026-09.hosts: 'machines' is not in this edition. Correct the new key.",
        "edition.renames.2026-09.guests: 'guests' is not in the edition of 2026-09. Correct the old key.",
    ]


def test_program_is_described_by_its_newest_edition(write: Write) -> None:
    write()
    newer = write(
        ('date: "2026-09"', 'date: "2026-10"'), ("\n  name: Boundary", "\n  name: Boundary targets"), date="2026-10"
    )
    program = load_program(newer.parent)
    assert (program.name, [edition.date for edition in program.editions]) == (
        "Boundary targets",
        ["2026-09", "2026-10"],
    )


def test_edition_cannot_be_changed(write: Write) -> None:
    edition = load_edition_file(write()).edition
    assert isinstance(edition.renames, MappingProxyType)
    assert all(isinstance(part, tuple) for part in (edition.steps, edition.tiers, edition.steps[0].requirements))
    with pytest.raises(AttributeError):
        edition.steps[0].name = "Begin"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("before", "after", "location", "value", "reason"),
    [
        (
            "needs_repository: false",
            'needs_repository: false\n  repository_pattern: "[a-z"',
            "program.repository_pattern",
            "[a-z",
            "unterminated character set at position 0",
        ),
        (
            "name: Host catalogs",
            'name: Host catalogs\n      repository_pattern: "(?P<host"',
            "edition.categories[0].repository_pattern",
            "(?P<host",
            "missing >, unterminated name at position 4",
        ),
        (
            "type: lines",
            'type: lines\n              help: Such as a1.\n              pattern: "*"',
            "edition.steps[0].requirements[0].fields[1].pattern",
            "*",
            "nothing to repeat at position 0",
        ),
    ],
)
def test_invalid_regular_expression_is_reported(
    write: Write, before: str, after: str, location: str, value: str, reason: str
) -> None:
    message = f"{location}: {value!r} is not valid here. Write a valid regular expression: {reason}."
    assert [re.sub(r"^\d+:\d+: ", "", problem) for problem in list_problems(write((before, after)))] == [message]


def test_guide_shows_the_message_of_a_mistake_in_its_edition(write: Write) -> None:
    (message,) = list_problems(write(("        statement:", "        statment:")))
    assert f"…/boundary/2026-09.yaml:{message}\n" in GUIDE.read_text()
