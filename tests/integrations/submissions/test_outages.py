"""Tests of the banner that replaces the errors of checks during an outage."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.presenters import find_outage
from integrations.submissions.services.requirements import record_check_outcome
from tests.conftest import create_integration
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from verification.checks.execution import run_check
from verification.sources.errors import GitHubUnavailableError, RegistryUnavailableError, SourceUnavailableError

pytestmark = pytest.mark.any_database


@pytest.fixture
def provider(acme: Any, alice: Any) -> Integration:
    return create_integration(acme, alice, "terraform-provider")


def list_checks(row: Integration) -> list[str]:
    return [r.id for r in row.edition.list_requirements() if r.checks][:3]


def record_check(row: Integration, requirement: str, service: str, now: datetime, outcome: str = "error") -> None:
    detail = {"key": "repository.public", "title": "Public", "outcome": outcome, "summary": "…", "unreachable": service}
    record_check_outcome(
        row,
        requirement,
        outcome=outcome,
        summary="We couldn't complete this check: GitHub isn't reachable.",
        detail=[detail],
        retry_at=now + timedelta(minutes=5) if outcome == "error" else None,
        now=now,
    )


def test_errors_of_checks_fold_into_one_banner(provider: Integration, alice: Any, sign_in: Any, now: datetime) -> None:
    checks = list_checks(provider)
    for number, requirement in enumerate(checks):
        record_check(provider, requirement, "GitHub", now + timedelta(minutes=number))
    titles = [r.title for r in provider.edition.list_requirements() if r.id in checks]
    text = get_text(sign_in(alice).get(f"/integrations/{provider.uuid}/"))
    assert text.count("Not reachable: GitHub. Since Tue, Apr 14, 9:00 AM UTC . Next attempt:") == 1
    assert f"Waiting: {'; '.join(titles)}. No action needed." in text
    assert "We couldn't complete this check" not in text


def test_outage_names_each_service_and_lasts_since_its_first_error(provider: Integration, now: datetime) -> None:
    first, second, _third = list_checks(provider)
    for hours in range(3):
        record_check(provider, first, "GitHub", now + timedelta(hours=hours))
    record_check(provider, second, "Terraform Registry", now + timedelta(hours=3))
    outage = find_outage(reload_row(provider), now)
    assert outage is not None
    assert (outage.services, outage.started_at) == (("GitHub", "Terraform Registry"), now)
    assert outage.retry_at == now + timedelta(hours=2, minutes=5)


def test_outage_ends_with_a_result(provider: Integration, alice: Any, sign_in: Any, now: datetime) -> None:
    first = list_checks(provider)[0]
    record_check(provider, first, "GitHub", now)
    record_check(provider, first, "", now + timedelta(hours=1), outcome="pass")
    assert find_outage(reload_row(provider), now) is None
    record_check(provider, first, "GitHub", now + timedelta(hours=2))  # an earlier result stays
    state = RequirementFulfillment.objects.get(integration=provider, requirement_id=first)
    assert (state.status, find_outage(reload_row(provider), now)) == ("pass", None)
    assert "Not reachable" not in sign_in(alice).get(f"/integrations/{provider.uuid}/").text


@pytest.mark.parametrize(
    ("error", "source"),
    [
        (GitHubUnavailableError("Can't read the tree: GitHub isn't reachable."), "GitHub"),
        (RegistryUnavailableError("Can't read the versions."), "Terraform Registry"),
        (SourceUnavailableError("docs.example didn't respond in time."), "docs.example didn't respond in time."),
    ],
)
def test_error_of_a_check_names_the_service(error: Exception, source: str) -> None:
    class Unreachable:
        repository = "acme/rocket"

        def __getattr__(self, _name: str) -> object:
            raise error

    assert run_check("repository.public", Unreachable(), Unreachable()).source == source  # type: ignore[arg-type]
