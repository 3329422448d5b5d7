"""The acceptance test of a provider: progress, results, and field errors."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from integrations.submissions.models import Integration
from tests.conftest import create_integration
from tests.journeys.person import Person
from tests.verification.markers import needs_sandbox, needs_terraform_or_opentofu
from tests.verification.testruns.provider_lifecycle.world import (
    BASE,
    CANARY,
    CHANGED_CONFIG,
    READABLE,
    write_executable,
)
from verification.testruns import services
from verification.testruns.kinds import sandbox_kind
from verification.testruns.models import TestRun

CONFIG = 'resource "example_server" "one" {\n  address = "1.2.3.4"\n}\n'


@pytest.fixture
def example(acme: Any, alice: Any) -> Integration:
    return create_integration(
        acme, alice, program="terraform-provider", repository="acme/terraform-provider-example", name="Example"
    )


def start_test_run(person: Person, base: str, changed_config: str) -> None:
    person.write("Version", "1.0.0").write("Configuration", base).write("Changed configuration", changed_config)
    person.write("Test credentials", f"EXAMPLE_TOKEN={CANARY}").press("Start test run")


@needs_terraform_or_opentofu
@needs_sandbox
def test_crashing_provider_is_reported_without_reloading_the_page(
    visit: Callable[..., Person], example: Integration, alice: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(sandbox_kind, "READABLE_FOLDERS", READABLE)
    partner = visit(alice).go(f"/integrations/{example.uuid}/").press("Run acceptance test")
    partner.sees("No test runs yet")
    start_test_run(partner, BASE, CHANGED_CONFIG)
    partner.sees("The test is running: 0 of 13 steps complete. Next: Start the executable directly.")

    def fetch_crashing_provider(row: TestRun, folder: Path) -> Path:
        return write_executable("crash")

    services.execute_test_run(TestRun.objects.get().pk, program_fetcher=fetch_crashing_provider)
    partner.sees(
        "Some rules failed. Follow the advice for each rule.",
        "The provider crashed. ",
        "Not reached: “Apply the plan” failed.",
        "Start test run",
    )
    partner.never_receives(CANARY).shot("lifecycle")


def test_invalid_configuration_is_a_field_error_on_a_phone_without_scripts(
    visit: Callable[..., Person], example: Integration, alice: Any
) -> None:
    partner = visit(alice, phone=True, javascript=False).go(f"/integrations/{example.uuid}/tests/provider-lifecycle/")
    start_test_run(partner, CONFIG, CONFIG)
    partner.sees("Enter a configuration with a change. This one is identical.").never_receives(CANARY)
    start_test_run(partner, CONFIG, CONFIG.replace("1.2.3.4", "5.6.7.8"))
    partner.sees("The test is running: 0 of 13 steps complete.").shot("lifecycle-phone")
