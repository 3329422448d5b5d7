from dataclasses import replace

import pytest

from tests.fakes.github.server import license_text
from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, code, release
from verification.checks.types import CHECKS
from verification.licenses.normalization import MAX_BYTES
from verification.outcomes import Outcome
from verification.sources.errors import AccessDeniedError, SourceUnavailableError

KEY = "repository.license"
MPL, MIT, BSD2 = (license_text(id) for id in ("MPL-2.0", "MIT", "BSD-2-Clause"))
ATTRIBUTIONS = """Terraform Provider for Rocket
Copyright 2026 Acme, Inc.

This product includes software developed at
The Apache Software Foundation (https://www.apache.org/).

This product bundles gorilla, which is available under the BSD-3-Clause license.

Third-party software:

- github.com/spf13/viper v1.7.0 (MIT)
- zap: MIT License, https://github.com/uber-go/zap
"""
CLAUSE = "“Commons Clause” License Condition v1.0\n\n"


def result(files, subject=SUBJECT, github="MPL-2.0", **fields):
    answers = {
        "releases_said": (release("v1.2.0"),),
        "repository_said": replace(REPOSITORY, license_spdx=github),
    } | fields
    return CHECKS[KEY].run(subject, FakeSources(code_said=code(files), **answers))


@pytest.mark.parametrize(
    ("files", "github", "expected"),
    [
        ({"LICENSE": MPL}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL}, "NOASSERTION", "pass"),  # no opinion is none against
        ({"LICENSE": MPL}, "", "pass"),
        ({"LICENSE": MPL}, "MIT", "not_run"),
        ({"LICENSE": MPL}, "GPL-3.0", "not_run"),
        ({"LICENSE": f"{MPL}\nNot for production use.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": CLAUSE + MIT}, "NOASSERTION", "fail"),
        ({"LICENSE": CLAUSE + MIT}, "MIT", "not_run"),
        ({"LICENSE": BSD2}, "BSD-2-Clause", "fail"),
        ({"LICENSE": BSD2}, "MIT", "not_run"),
        ({"LICENSE": "All rights reserved. Ask us.\n"}, "NOASSERTION", "not_run"),
        ({"LICENSE": "", "README.md": MIT}, "", "not_run"),
        ({"README.md": MIT}, "MIT", "fail"),
        ({"LICENSE-MIT": MIT, "LICENSE-MPL": MPL}, "NOASSERTION", "pass"),
        ({"LICENSE": MIT, "COPYING": BSD2}, "MIT", "not_run"),
        ({"LICENSE": MIT.replace("\n", "\r\n")}, "MIT", "pass"),
        ({"LICENSE.md": "# The MIT License\n\n" + MIT.partition("\n")[2]}, "MIT", "pass"),
        ({"LICENSE": MPL, "ee/LICENSE": "Enterprise customers only.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "internal/LICENSE": MIT}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL, "vendor/a/LICENSE": "Whatever.\n", "a/b/c/LICENSE": "Whatever.\n"}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL, "ADDITIONAL-TERMS.txt": "One more thing.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "COMMERCIAL.md": "Companies pay a fee.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "EULA": "One seat.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "TERMS-OF-USE.txt": "Do not resell.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "LICENSE-ENTERPRISE": "Ask us.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "LEGAL.md": "# Legal\n\nTrial use only.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "LEGAL.md": "Copyright (c) 2026 Acme, Inc.\n"}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL, "NOTICE": "Acme Rocket\nCopyright 2026 Acme\n"}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL, "NOTICE": CLAUSE}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "NOTICE": ATTRIBUTIONS}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL, "NOTICE.md": "# Acme\n\nRedistribution needs our consent.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "notice": "仅供内部试用\n"}, "MPL-2.0", "not_run"),
        (
            {"LICENSE": MPL, "NOTICES.txt": "This product includes software that may not be sold.\n"},
            "MPL-2.0",
            "not_run",
        ),
        ({"LICENSE": MPL, "NOTICE": "This product is licensed under the MIT License.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "LICENSING.md": "Files in server/ are proprietary.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "AcmeEULA.txt": "One seat.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "EULA.de-AT.md": "Nur ein Arbeitsplatz.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "EULA.uk.txt": "Лише для оцінювання.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "acme.v2.terms.txt": "One seat.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "TermsOfService.md": "Companies pay.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "TOS.md": "Companies pay.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": MPL, "licensing.go": "package acme\n", "terms_test.go": "x"}, "MPL-2.0", "pass"),
        ({"LICENSE": " " * (MAX_BYTES + 1)}, "MPL-2.0", "not_run"),
        ({f"LICENSE-{n}": MPL for n in range(20)}, "MPL-2.0", "not_run"),
    ],
)
def test_license(files, github, expected):
    check_result = result(files, github=github)
    assert (str(check_result.outcome), check_result.summary.endswith(".")) == (expected, True), check_result
    assert check_result.summary.startswith("A reviewer decides: ") == (expected == "not_run")


def test_file_next_to_the_license_is_named_with_its_line():
    check_result = result({"LICENSE": MPL, "COMMERCIAL.md": "Copyright (c) 2026 Acme, Inc.\n\nCompanies pay a fee.\n"})
    assert check_result.summary == (
        "A reviewer decides: COMMERCIAL.md: Line 3 needs review: "
        "“Companies pay a fee.” contains “pay”, which can set terms."
    )


def test_license_that_is_asked_about_is_for_a_person():
    subject = replace(SUBJECT, licenses_for_review=frozenset({"BSD-2-Clause"}))
    check_result = result({"LICENSE": BSD2}, subject, github="BSD-2-Clause")
    assert (check_result.outcome, check_result.summary) == (Outcome.NOT_RUN, "A reviewer decides about BSD-2-Clause.")


@pytest.mark.parametrize(
    ("files", "expected"), [({"LICENSE": BSD2}, "pass"), ({"COPYING": "Ours."}, "pass"), ({}, "fail")]
)
def test_license_without_a_published_rule(files, expected):
    subject = replace(SUBJECT, allowed_licenses=frozenset(), licenses_for_review=frozenset())
    assert result(files, subject).outcome == expected


def test_license_says_what_was_looked_at():
    check_result = result({"LICENSE": MPL}, github="NOASSERTION")
    assert check_result.inspected_revisions[-1] == ("commit", "9f3c1e")
    evidence_by_label = {evidence.label: (evidence.value, evidence.url) for evidence in check_result.evidence}
    assert evidence_by_label["LICENSE"] == (
        "MPL-2.0: The text is MPL-2.0, word for word.",
        "https://github.com/acme/terraform-provider-rocket/blob/9f3c1e/LICENSE",
    )
    assert evidence_by_label["License according to GitHub"][0] == "NOASSERTION"
    assert check_result.summary == "MPL-2.0 is on the program's list."


def test_license_that_was_added_after_the_release_is_to_be_released():
    check_result = result({"README.md": "Rocket"}, github="MIT")
    assert "GitHub detects one on the default branch. Include it in a release." in check_result.summary


@pytest.mark.parametrize(
    ("subject", "releases", "ref"),
    [
        (SUBJECT, (release("v1.2.0"), release("v1.10.0")), "v1.10.0"),
        (SUBJECT, (), "main"),
        (replace(SUBJECT, tag="v1.1.0"), (release("v1.2.0"),), "v1.1.0"),
    ],
)
def test_license_of_the_released_commit_is_read(subject, releases, ref):
    sources = FakeSources(code_said=code({"LICENSE": MPL}), releases_said=releases)
    CHECKS[KEY].run(subject, sources)
    assert sources.requested_addresses[-1] == f"acme/terraform-provider-rocket@{ref}"


def test_license_of_a_list_that_is_cut_off_is_for_a_person():
    sources = FakeSources(code_said=code({"LICENSE": MPL}, is_truncated=True))
    assert CHECKS[KEY].run(SUBJECT, sources).outcome == Outcome.NOT_RUN


@pytest.mark.parametrize("refusal", [SourceUnavailableError("Down."), AccessDeniedError("No.")])
def test_outage_is_left_to_the_runner(refusal):
    for part in ("repository_said", "code_said", "releases_said"):
        with pytest.raises(type(refusal)):
            CHECKS[KEY].run(SUBJECT, FakeSources(**{"code_said": code({"LICENSE": MPL}), part: refusal}))


def test_missing_repository_fails():
    assert CHECKS[KEY].run(SUBJECT, FakeSources(repository_said=None)).outcome == Outcome.FAIL
    assert CHECKS[KEY].run(replace(SUBJECT, repository=""), FakeSources()).outcome == Outcome.FAIL
