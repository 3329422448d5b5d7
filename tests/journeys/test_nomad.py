"""A partner has their Nomad plugin rehearsed: the page tells each question, the finding and the answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import begin
from tests.journeys.person import Person
from tests.verification.testruns.nomad_plugin.world import READABLE, executable, needs_sandbox
from verification.testruns.models import NomadRehearsal
from verification.testruns.services import nomad_plugin_tests as jobs


@needs_sandbox
def test_device_plugin_learns_what_to_mend(
    visit: Callable[..., Person], acme: Any, alice: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(jobs, "READABLE_FOLDERS", READABLE)
    row = begin(acme, alice, category="gpus-hardware-devices", repository="acme/nomad-device-example", name="Gauges")
    partner = visit(alice).go(f"/integrations/{row.uuid}/").press("Run plugin test")
    partner.sees("No test runs yet").write("Version", "1.0.0").write("Configuration", "[]")
    partner.press("Start test run").sees("Enter a JSON object.")
    partner.write("Configuration", '{"address": "127.0.0.1:9999"}').press("Start test run")
    partner.sees("The test is running: 0 of 11 calls complete. Next: Direct start.")

    def twins(row: NomadRehearsal, folder: Path) -> Path:
        return executable("device", "twins")

    jobs.execute_test_run(NomadRehearsal.objects.get().pk, program_fetcher=twins)
    partner.sees(
        "Some rules failed. Follow the advice for each rule.", "The device ID “one” is empty or not unique.",
        "The plugin reports the name “example”.", "Calls and responses", "Start test run",
    )  # fmt: skip
    partner.shot("nomad")
