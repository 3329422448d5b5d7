"""Tests that no check of any edition passes without network."""

from dataclasses import replace
from typing import Any

import pytest

from integrations.programs.registry import PROGRAMS
from tests.verification.checks.check_runs import CHECKS_WITHOUT_REQUESTS
from verification.checks.execution import build_subject, list_check_keys, run_checks
from verification.outcomes import Outcome
from verification.sources.errors import SourceUnavailableError

EDITIONS = [(program, edition) for program in PROGRAMS.values() for edition in program.editions]


class UnreachableSources:
    """Sources that can't be reached."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise SourceUnavailableError("Unreachable.")

    def read(self, key: str, function: Any) -> Any:
        return function()


@pytest.mark.parametrize(("program", "edition"), EDITIONS, ids=[f"{p.key}-{e.date}" for p, e in EDITIONS])
def test_no_check_passes_without_network(program, edition):
    subject = replace(
        build_subject(program, edition, "acme/terraform-provider-rocket"), repository_id=1, repository_owner_id=2
    )
    results = run_checks(list_check_keys(edition), subject, UnreachableSources())
    assert {key: str(r.outcome) for key, r in results.items() if r.outcome in (Outcome.PASS, Outcome.WARN)} == {}
    failed_keys = {key for key, result in results.items() if result.outcome == Outcome.FAIL}
    assert failed_keys <= CHECKS_WITHOUT_REQUESTS
