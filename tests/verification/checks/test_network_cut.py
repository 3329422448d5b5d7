"""Tests that no check passes without a source, for every check of every edition."""

from dataclasses import replace
from typing import Any

import pytest

from integrations.programs.registry import PROGRAMS
from verification.checks.execution import build_subject, list_check_keys, run_checks
from verification.outcomes import Outcome
from verification.sources.errors import SourceUnavailableError

# These fail without a request, because the partner hasn't entered what they check.
READ_NOTHING = {
    "listing.contacts",
    "listing.links",
    "listing.summary",
    "listing.run_task_docs",
    "nia.provider",
    "plugin.pull_request",
}
EDITIONS = [(program, edition) for program in PROGRAMS.values() for edition in program.editions]


class Cut:
    """Sources that can't be reached."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise SourceUnavailableError("Nobody answers.")

    def read(self, key: str, function: Any) -> Any:
        return function()


@pytest.mark.parametrize(("program", "edition"), EDITIONS, ids=[f"{p.key}-{e.date}" for p, e in EDITIONS])
def test_with_the_network_cut_no_check_passes(program, edition):
    subject = replace(
        build_subject(program, edition, "acme/terraform-provider-rocket"), repository_id=1, repository_owner_id=2
    )
    checks = run_checks(list_check_keys(edition), subject, Cut())
    assert {key: str(r.outcome) for key, r in checks.items() if r.outcome in (Outcome.PASS, Outcome.WARN)} == {}
    failed_keys = {key for key, result in checks.items() if result.outcome == Outcome.FAIL}
    assert failed_keys <= READ_NOTHING
