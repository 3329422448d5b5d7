"""Names that hold a word of terms, and lines that name a product, its makers, or its license."""

import pytest

from tests.verification.licenses.corpus import build_policy, fill_license_text
from verification.licenses.holders import is_holder_list
from verification.licenses.notices import is_project_title
from verification.licenses.policy import Verdict, evaluate_file

BADGE = "[![License](https://img.shields.io/badge/license-{id}-green.svg)](LICENSE)\n\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Rental Harbor, Inc.", True),
        ("Permit & Pine Ltd", True),
        ("Cobalt Seven, Inc.", True),
        ("Pupil Robotics", True),
        ("Provisional Systems Inc", True),
        ("Trial Version Inc.", False),
        ("Evaluation Copy GmbH", False),
        ("Kids Free Inc.", False),
        ("Confidential Inc.", False),
        ("Commercial Use Limited", False),
        ("Pupil Software", False),
        ("Internal Network", False),
    ],
)
def test_term_in_a_company_name_is_allowed_unless_it_restricts_a_work_or_its_users(name: str, expected: bool) -> None:
    assert is_holder_list(name) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Zelvora Market", True),  # an English word beside one in no list
        ("Probna Verzija", False),  # an ordinary word of the same language
        ("Тестова Версия", False),
        ("Ieva Lapa (lapsina)", True),
        ("Ieva Lapa (nonprofit)", False),
        ('Internet Systems Consortium, Inc. ("ISC")', True),
        ("Jet Propulsion Laboratory (NFR)", False),
        ("Acme Lantern, Inc. (https://www.acmelantern.com)", True),
        ("Acme Lantern, Inc. (https://www.lanterntrial.com)", False),
        ("contributors to the team", False),  # of which project?
    ],
)
def test_holder_names_with_other_words_are_recognized(name: str, expected: bool) -> None:
    assert is_holder_list(name) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("lumen - a YAML parser for Go", True),
        ("Zelvora v2", True),
        ("lumen - school edition for Go", False),
        ("lumen - a YAML parser for students", False),
        ("Elastic License 2.0", False),
        ("Seats v2", False),
    ],
)
def test_title_with_a_summary_or_a_version_is_recognized(line: str, expected: bool) -> None:
    assert is_project_title(line) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (BADGE.format(id="MIT"), "", Verdict.ALLOW),
        (BADGE.format(id="GPL--3.0"), "", Verdict.REVIEW),
        ("", "This product includes software developed at Acme, Inc.", Verdict.ALLOW),
        ("", "This product includes software developed at Acme, Inc. under the GPL.", Verdict.REVIEW),
        ("", "This product includes software developed by students.", Verdict.REVIEW),
        ("", "Zelvora\nCopyright 2020 Acme, Inc.", Verdict.ALLOW),
        ("", "Trial\nCopyright 2020 Acme, Inc.", Verdict.REVIEW),
        ("", "https://github.com/acme/lumen", Verdict.ALLOW),
        ("", "https://acme.com/eula", Verdict.REVIEW),
    ],
)
def test_lines_around_a_license_determine_the_verdict(before: str, after: str, expected: Verdict) -> None:
    assert evaluate_file(f"{before}{fill_license_text('MIT')}\n{after}\n".encode(), build_policy()).verdict is expected
