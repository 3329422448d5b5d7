"""Tests of the license check."""

from dataclasses import replace

import pytest

from tests.fakes.github.server import build_license_text
from tests.verification.checks.fake_sources import (
    REPOSITORY,
    SUBJECT,
    FakeSources,
    build_license_policy,
    build_release,
    build_snapshot,
)
from verification.checks.types import CHECKS
from verification.licenses.normalization import MAX_BYTES
from verification.outcomes import Outcome
from verification.sources.errors import AccessDeniedError, SourceUnavailableError

KEY = "repository.license"
MPL, MIT, BSD2 = (build_license_text(id) for id in ("MPL-2.0", "MIT", "BSD-2-Clause"))
ATTRIBUTIONS = """Terraform Provider for Rocket
Copyright 2026 Acme, Inc.

This product includes software developed at
The Apache Software Foundation (https://www.apache.org/).

This product bundles gorilla, which is available under the BSD-3-Clause license.

Third-party software:

- github.com/spf13/viper v1.7.0 (MIT)
- zap: MIT License, https://github.com/uber-go/zap
"""
COMMONS_CLAUSE = "“Commons Clause” License Condition v1.0\n\n"


def run_license_check(files, subject=SUBJECT, github="MPL-2.0", **fields):
    answers = {
        "releases_answer": (build_release("v1.2.0"),),
        "repository_answer": replace(REPOSITORY, license_spdx=github),
    } | fields
    return CHECKS[KEY].run(subject, FakeSources(code_answer=build_snapshot(files), **answers))


def test_many_files_that_could_contain_terms_are_not_read():
    files = {"LICENSE": MPL} | {f"TERMS-{number}.md": "" for number in range(13)}
    result = run_license_check(files)
    reason = "The repository has more files that could contain terms than we read."
    assert (result.outcome, result.summary) == (Outcome.NOT_RUN, f"A reviewer decides: {reason}")


@pytest.mark.parametrize(
    ("files", "github", "expected"),
    [
        ({"LICENSE": MPL}, "MPL-2.0", "pass"),
        ({"LICENSE": MPL}, "NOASSERTION", "pass"),  # GitHub has no opinion
        ({"LICENSE": MPL}, "", "pass"),
        ({"LICENSE": MPL}, "MIT", "not_run"),
        ({"LICENSE": MPL}, "GPL-3.0", "not_run"),
        ({"LICENSE": f"{MPL}\nNot for production use.\n"}, "MPL-2.0", "not_run"),
        ({"LICENSE": COMMONS_CLAUSE + MIT}, "NOASSERTION", "fail"),
        ({"LICENSE": COMMONS_CLAUSE + MIT}, "MIT", "not_run"),
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
        ({"LICENSE": MPL, "NOTICE": COMMONS_CLAUSE}, "MPL-2.0", "not_run"),
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
def test_license_files_have_their_outcome(files, github, expected):
    result = run_license_check(files, github=github)
    assert (str(result.outcome), result.summary.endswith(".")) == (expected, True), result
    assert result.summary.startswith("A reviewer decides: ") == (expected == "not_run")


def test_file_with_terms_is_named_with_its_line():
    result = run_license_check(
        {"LICENSE": MPL, "COMMERCIAL.md": "Copyright (c) 2026 Acme, Inc.\n\nCompanies pay a fee.\n"}
    )
    assert result.summary == (
        "A reviewer decides: COMMERCIAL.md: Line 3 needs review: "
        "“Companies pay a fee.” contains “pay”, which can set terms."
    )


def test_license_for_review_is_decided_by_a_reviewer():
    subject = replace(SUBJECT, licenses=build_license_policy(allow=("MIT",), manual_review=("BSD-2-Clause",)))
    result = run_license_check({"LICENSE": BSD2}, subject, github="BSD-2-Clause")
    assert (result.outcome, result.summary) == (Outcome.NOT_RUN, "A reviewer decides on BSD-2-Clause.")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"LICENSE": BSD2}, "pass"),
        ({"COPYING": "Ours."}, "pass"),
        ({"LICENSE": MIT, "LICENSE-BSD": BSD2}, "pass"),
        ({"LICENSE-MIT": MIT, "LICENSE-BSD": BSD2, "LEGAL.md": "Ask us first."}, "pass"),
        ({}, "fail"),
    ],
)
def test_any_license_file_passes_without_a_list_of_licenses(files, expected):
    subject = replace(SUBJECT, licenses=build_license_policy())
    assert run_license_check(files, subject).outcome == expected


def test_result_has_the_commit_and_the_licenses():
    result = run_license_check({"LICENSE": MPL}, github="NOASSERTION")
    assert result.inspected_revisions[-1] == ("commit", "9f3c1e")
    evidence_by_label = {evidence.label: (evidence.value, evidence.url) for evidence in result.evidence}
    assert evidence_by_label["LICENSE"] == (
        "MPL-2.0: The text is MPL-2.0, word for word.",
        "https://github.com/acme/terraform-provider-rocket/blob/9f3c1e/LICENSE",
    )
    assert evidence_by_label["License according to GitHub"][0] == "NOASSERTION"
    assert result.summary == "MPL-2.0 is on the program's list."


def test_license_that_was_added_after_the_release_must_be_released():
    result = run_license_check({"README.md": "Rocket"}, github="MIT")
    assert "GitHub detects one on the default branch. Include it in a release." in result.summary


@pytest.mark.parametrize(
    ("subject", "releases", "ref"),
    [
        (SUBJECT, (build_release("v1.2.0"), build_release("v1.10.0")), "v1.10.0"),
        (SUBJECT, (), "main"),
        (replace(SUBJECT, tag="v1.1.0"), (build_release("v1.2.0"),), "v1.1.0"),
    ],
)
def test_license_of_the_released_commit_is_read(subject, releases, ref):
    sources = FakeSources(code_answer=build_snapshot({"LICENSE": MPL}), releases_answer=releases)
    CHECKS[KEY].run(subject, sources)
    assert sources.requested_addresses[-1] == f"acme/terraform-provider-rocket@{ref}"


def test_truncated_list_of_files_is_not_run():
    sources = FakeSources(code_answer=build_snapshot({"LICENSE": MPL}, is_truncated=True))
    assert CHECKS[KEY].run(SUBJECT, sources).outcome == Outcome.NOT_RUN


@pytest.mark.parametrize("error", [SourceUnavailableError("Down."), AccessDeniedError("No.")])
def test_outage_is_raised(error):
    for name in ("repository_answer", "code_answer", "releases_answer"):
        with pytest.raises(type(error)):
            CHECKS[KEY].run(SUBJECT, FakeSources(**{"code_answer": build_snapshot({"LICENSE": MPL}), name: error}))


def test_missing_repository_fails():
    assert CHECKS[KEY].run(SUBJECT, FakeSources(repository_answer=None)).outcome == Outcome.FAIL
    assert CHECKS[KEY].run(replace(SUBJECT, repository=""), FakeSources()).outcome == Outcome.FAIL
