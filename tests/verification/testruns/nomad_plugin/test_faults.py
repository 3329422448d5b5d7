"""Tests of the example plugins in the sandbox, without faults and with each fault."""

import json
from pathlib import Path

import pytest

from examples.nomad_plugin import FAULTS
from tests.verification.markers import needs_sandbox
from tests.verification.testruns.nomad_plugin.world import (
    READABLE,
    get_outcomes,
    get_summary,
    run_plugin_test,
    write_executable,
)
from verification.outcomes import get_exit_code
from verification.sandbox.types import ExitReason
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTestRunner
from verification.testruns.kinds.nomad_plugin.kind import NomadPluginTest
from verification.testruns.kinds.nomad_plugin.records import (
    STATUS_ANSWERED,
    NomadPluginRecords,
    NomadPluginTarget,
    PluginCall,
)
from verification.testruns.kinds.nomad_plugin.rules import RULES

# fault: (type of plugin, the rule that fails, its summary)
EXPECTED = {
    "no-cookie": (
        "driver",
        "direct",
        "Without Nomad's cookie, the plugin doesn't exit with a notice. "
        "The program exceeded the time limit and was stopped.",
    ),
    "net-rpc": ("driver", "handshake", "The plugin uses “netrpc”. Only grpc is supported."),
    "chatty": ("driver", "handshake", "The first line on stdout is not a handshake: “Example plugin, starting”."),
    "wrong-type": ("driver", "info.type", "The plugin reports that it is a device, but it was submitted as a driver."),
    "other-name": ("driver", "info.name", "The plugin reports the name “something-else”, not “example”."),
    "no-api": ("device", "info.api", "The plugin reports no API version, so Nomad wouldn't load it."),
    "old-version": ("device", "info.version", "The plugin reports version v0.9.0, but the release is 1.0.0."),
    "bad-schema": ("driver", "schema", "config.address: “strnig” isn't a type."),
    "accepts-anything": ("device", "garbage", "The plugin accepts bytes that aren't a configuration."),
    "crash-on-config": ("driver", "config", "The program exited with exit code 2."),
    "crash-on-garbage": (
        "driver",
        "garbage",
        "The plugin exited after receiving bytes that aren't a configuration. The program exited with exit code 2.",
    ),
    "silent": ("driver", "fingerprint", "The plugin didn't respond in time."),
    "unwell": ("driver", "fingerprint", "The driver is unhealthy and gives no reason."),
    "twins": ("device", "devices", "The device ID “one” is empty or not unique."),
    "reserves-anything": ("device", "reserve", "The plugin reserves a device that it never reported."),
}
CONSEQUENCES = {  # rules that fail too, because a plugin that exited doesn't respond
    "crash-on-config": {"task_schema", "capabilities", "fingerprint", "garbage"},
}


@needs_sandbox
@pytest.mark.parametrize("kind", ["driver", "device"])
def test_good_plugin_passes_every_rule(kind: str) -> None:
    records = run_plugin_test(kind)
    assert get_outcomes(records) == {rule.key: "pass" for rule in RULES.file.rules if rule.variant in ("", kind)}
    assert get_exit_code(RULES.compute_outcome(RULES.evaluate(records))) == 0


@needs_sandbox
@pytest.mark.parametrize("fault", sorted(EXPECTED))
def test_fault_fails_its_own_rule_alone(fault: str) -> None:
    kind, rule, expected_summary = EXPECTED[fault]
    records = run_plugin_test(kind, fault)
    failed = {key for key, outcome in get_outcomes(records).items() if outcome == "fail"}
    assert (get_summary(records, rule), failed) == (expected_summary, {rule} | CONSEQUENCES.get(fault, set()))


@needs_sandbox
def test_plugin_that_does_not_exit_gets_a_warning() -> None:
    assert get_outcomes(run_plugin_test("driver", "stays")) == get_outcomes(run_plugin_test("driver")) | {"end": "warn"}


def test_every_fault_of_the_example_is_expected() -> None:
    assert set(FAULTS) == {*EXPECTED, "stays"}


@needs_sandbox
def test_invalid_configuration_is_not_sent() -> None:
    records = run_plugin_test("driver", "", None)
    assert get_summary(records, "config") == (
        "The supplied configuration doesn't match the schema. config.address: this attribute is required."
    )
    assert records.get_step("config") is None


@needs_sandbox
def test_integer_of_more_than_64_bits_is_sent_as_text() -> None:
    target = NomadPluginTarget("driver", "example", "1.0.0", {"address": "127.0.0.1:9999", "retries": "9" * 30})
    records = NomadPluginTestRunner(target, write_executable("driver"), READABLE).run()
    assert get_outcomes(records) == get_outcomes(run_plugin_test("driver"))


def test_without_a_sandbox_every_rule_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # without the programs that a sandbox needs
    records = NomadPluginTestRunner(NomadPluginTarget("driver"), Path("/nowhere")).run()
    assert (set(get_outcomes(records).values()), get_exit_code(RULES.compute_outcome(RULES.evaluate(records)))) == (
        {"not_run"},
        2,
    )


@needs_sandbox
def test_records_survive_json() -> None:
    for records in (run_plugin_test("driver"), run_plugin_test("device", "twins")):
        assert NomadPluginRecords.load(json.loads(json.dumps(records.as_dict()))) == records


@pytest.mark.parametrize("status", [ExitReason.TIMED_OUT, "too much"])
@pytest.mark.parametrize(("rule", "kind"), [("reserve", "device"), ("garbage", "driver")])
def test_call_without_an_answer_is_not_a_rejection(rule: str, kind: str, status: str) -> None:
    steps = (PluginCall("alive", "Alive", STATUS_ANSWERED), PluginCall(rule, "Call", status, "No answer."))
    records = NomadPluginRecords(steps, target=NomadPluginTarget(kind), is_complete=True)
    assert get_outcomes(records)[rule] == "fail"


def test_direct_start_that_was_stopped_is_reported_with_its_reason() -> None:
    message = "The program exceeded the memory limit and was stopped."
    steps = (PluginCall("direct", "Direct start", ExitReason.MEMORY, message),)
    records = NomadPluginRecords(steps, target=NomadPluginTarget("driver"), is_complete=True)
    assert get_summary(records, "direct") == f"Without Nomad's cookie, the plugin doesn't exit with a notice. {message}"


def test_interruption_after_the_schema_is_not_blamed_on_the_schema() -> None:
    steps = (PluginCall("schema", "ConfigSchema", STATUS_ANSWERED),)
    records = NomadPluginRecords(steps, target=NomadPluginTarget("driver"), is_complete=True, broken="Worker stopped.")
    assert get_summary(records, "config") == "We couldn't run this rule: Worker stopped."


def test_failure_of_the_sandbox_is_not_blamed_on_the_plugin() -> None:
    class LostSandboxRunner(NomadPluginTestRunner):
        def run_steps(self) -> None:
            self.record_step(
                PluginCall("direct", "Direct start", STATUS_ANSWERED, data={"code": 1, "output": "plugin"})
            )
            self.record_step(PluginCall("handshake", "Handshake", ExitReason.LOST, "The sandbox failed."))

    records = LostSandboxRunner(NomadPluginTarget("driver"), Path("/nowhere")).run()
    assert [step.key for step in records.steps] == ["direct"]
    assert get_summary(records, "handshake") == "We couldn't run this rule: The sandbox failed."


def test_rule_that_no_longer_exists_has_no_output() -> None:
    records = NomadPluginRecords(target=NomadPluginTarget("driver"))
    assert NomadPluginTest().select_outputs(records, "retired") == []


def test_rules_without_records_are_not_run() -> None:
    assert set(get_outcomes(NomadPluginRecords(target=NomadPluginTarget("driver"))).values()) == {"not_run"}
