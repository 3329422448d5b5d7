"""The test of a Nomad plugin: progress, results, and the recorded calls."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import create_integration
from tests.journeys.person import Person
from tests.verification.markers import needs_sandbox
from tests.verification.testruns.nomad_plugin.world import READABLE, write_executable
from verification.testruns import services
from verification.testruns.kinds import sandbox_kind
from verification.testruns.models import TestRun


@needs_sandbox
def test_faulty_device_plugin_gets_advice_for_each_rule(
    visit: Callable[..., Person], acme: Any, alice: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(sandbox_kind, "READABLE_FOLDERS", READABLE)
    row = create_integration(
        acme, alice, category="gpus-hardware-devices", repository="acme/nomad-device-example", name="Gauges"
    )
    partner = visit(alice).go(f"/integrations/{row.uuid}/").press("Run plugin test")
    partner.sees("No test runs yet").write("Version", "1.0.0").write("Configuration", "[]")
    partner.press("Start test run").sees("Enter a JSON object.")
    partner.write("Configuration", '{"address": "127.0.0.1:9999"}').press("Start test run")
    partner.sees("The test is running: 0 of 11 calls complete. Next: Direct start.")

    def fetch_plugin_with_equal_ids(row: TestRun, folder: Path) -> Path:
        return write_executable("device", "twins")

    services.execute_test_run(TestRun.objects.get().pk, program_fetcher=fetch_plugin_with_equal_ids)
    partner.sees(
        "Some rules failed. Follow the advice for each rule.",
        "The device ID “one” is empty or not unique.",
        "The plugin reports the name “example”.",
        "Calls and responses",
        "Start test run",
    )
    partner.shot("nomad")
