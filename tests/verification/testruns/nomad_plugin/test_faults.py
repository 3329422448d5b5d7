"""The example plugins, good and with each planted fault, in the sandbox: the right verdict, and no other."""

import json
from pathlib import Path

import pytest

from examples.nomad_plugin import FAULTS
from tests.verification.testruns.nomad_plugin.world import needs_sandbox, outcomes, run_plugin_test, sentence
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTestRunner
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.rules import RULES
from verification.testruns.rules import get_exit_code

# fault: (type of plugin, the rule that fails, what is said of it)
TABLE = {
    "no-cookie": (
        "driver",
        "direct",
        "Without Nomad's cookie, the plugin keeps running instead of exiting with a notice.",
    ),
    "net-rpc": ("driver", "handshake", "The plugin uses “netrpc”. Only grpc is supported."),
    "chatty": ("driver", "handshake", "The first line on stdout is not a handshake: “Example plugin, starting”."),
    "wrong-type": ("driver", "info.type", "The plugin reports that it is a device, but it was submitted as a driver."),
    "other-name": ("driver", "info.name", "The plugin reports the name “something-else”, not “example”."),
    "no-api": ("device", "info.api", "The plugin reports no API version, so Nomad wouldn't load it."),
    "old-version": ("device", "info.version", "The plugin reports version v0.9.0, but the release is 1.0.0."),
    "bad-schema": ("driver", "schema", "config.address: “strnig” isn't a type."),
    "takes-anything": ("device", "garbage", "The plugin accepts bytes that aren't a configuration."),
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
WHAT_FOLLOWS = {  # further rules that fail, since a plugin that has ended answers nothing
    "crash-on-config": {"task_schema", "capabilities", "fingerprint", "garbage"},
}


@needs_sandbox
@pytest.mark.parametrize("kind", ["driver", "device"])
def test_good_plugin_passes_whole(kind: str) -> None:
    records = run_plugin_test(kind)
    assert outcomes(records) == {rule.key: "pass" for rule in RULES.file.rules if rule.variant in ("", kind)}
    assert get_exit_code(RULES.compute_outcome(RULES.evaluate(records))) == 0


@needs_sandbox
@pytest.mark.parametrize("fault", sorted(TABLE))
def test_fault_is_found_and_nothing_else_is(fault: str) -> None:
    kind, rule, expected_sentence = TABLE[fault]
    records = run_plugin_test(kind, fault)
    failed = {key for key, outcome in outcomes(records).items() if outcome == "fail"}
    assert (sentence(records, rule), failed) == (expected_sentence, {rule} | WHAT_FOLLOWS.get(fault, set()))


@needs_sandbox
def test_plugin_that_stays_is_warned_of_and_stopped() -> None:
    assert outcomes(run_plugin_test("driver", "stays")) == outcomes(run_plugin_test("driver")) | {"end": "warn"}


def test_every_fault_has_its_verdict() -> None:
    assert set(FAULTS) == {*TABLE, "stays"}


@needs_sandbox
def test_invalid_configuration_is_not_sent() -> None:
    records = run_plugin_test("driver", "", None)
    assert sentence(records, "config") == (
        "The supplied configuration doesn't match the schema. config.address: this attribute is required."
    )
    assert records.get_step("config") is None


def test_without_a_sandbox_nothing_is_said_to_be_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # no program to make a room with
    result = NomadPluginTestRunner(NomadPluginTarget("driver"), Path("/nowhere")).run()
    assert (set(outcomes(result).values()), get_exit_code(RULES.compute_outcome(RULES.evaluate(result)))) == (
        {"not_run"},
        2,
    )


@needs_sandbox
def test_what_was_seen_survives_json() -> None:
    for records in (run_plugin_test("driver"), run_plugin_test("device", "twins")):
        assert NomadPluginRecords.load(json.loads(json.dumps(records.as_dict()))) == records


def test_nothing_is_said_of_what_was_not_reached() -> None:
    assert set(outcomes(NomadPluginRecords(target=NomadPluginTarget("driver"))).values()) == {"not_run"}
