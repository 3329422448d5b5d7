"""Tests of plugins built with HashiCorp's library, valid and with each fault, in the sandbox."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.verification.markers import needs_terraform_or_opentofu
from tests.verification.testruns.common import get_outcomes
from verification.plugins.client import start_plugin
from verification.plugins.handshake import TERRAFORM_COOKIE
from verification.sandbox.environment import open_environment
from verification.sandbox.types import MEGABYTE, Limits
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTestRunner
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.rules import RULES
from verification.testruns.kinds.provider_schema.reader import (
    ProviderSchemaTarget,
    SchemaReadResult,
    list_differences,
    read_directly,
    read_with_terraform,
)
from verification.testruns.terraform_cli import find_terraform

SOURCE = "registry.terraform.io/acme/example"
TERRAFORM = find_terraform()
LIMITS = Limits(seconds=30, memory=256 * MEGABYTE, disk=30 * MEGABYTE, processes=60, output=200_000)
HANGING_FAULTS = ("hangs", "no-handshake")  # only these reach the timeout, so it is short
WritePlugin = Callable[[str, str], Path]

# fault: the key and the text of the problem
PROVIDER_FAULTS = {
    "other-cookie": ("ended", "The plugin exited before its handshake, with exit code 1."),
    "exits": ("ended", "The plugin exited before its handshake, with exit code 7."),
    "no-handshake": ("timed out", "The plugin didn't print its handshake in time, so we stopped it."),
    "text-before-handshake": ("fields", "The first line on stdout is not a handshake: “Example plugin, starting”."),
    "other-protocol": ("version", "The plugin offers protocol 4. Supported: 5 or 6."),
    "net-rpc": ("protocol", "The plugin uses “netrpc”. Only grpc is supported."),
    "plain": ("plain", "The handshake has no certificate. Terraform only connects with mutual TLS."),
    "plain-with-certificate": ("tls", "The plugin offers a certificate, but doesn't speak TLS."),
    "other-certificate": ("tls", "The plugin doesn't use the certificate that is in its handshake."),
    "no-certificate": ("tls", "The certificate in the handshake is not a certificate."),
    "no-service": ("answer", "The plugin returned UNIMPLEMENTED: unknown service tfplugin6.Provider"),
    "crash": ("ended", "The provider exited during the schema request. The program exited with exit code 3."),
    "panic": ("ended", "The provider exited during the schema request. The program exited with exit code 2."),
    "hangs": ("timed out", "The plugin didn't respond in time."),
    "diagnostic": ("answer", "The provider returned an error: No schema: The file is gone."),
    "bad-schema": ("answer", "example_server.address: the type can't be read."),
}
# fault: the rules that fail and the summary of the first
DRIVER_FAULTS = {
    "no-cookie": (
        ["direct"],
        "Without Nomad's cookie, the plugin doesn't exit with a notice. "
        "The program exceeded the time limit and was stopped.",
    ),
    "other-cookie": (["handshake"], "The plugin exited before its handshake, with exit code 1."),
    "text-before-handshake": (
        ["handshake"],
        "The first line on stdout is not a handshake: “Example plugin, starting”.",
    ),
    "other-protocol": (["handshake"], "The plugin offers protocol 4. Supported: 1."),
    "net-rpc": (["handshake"], "The plugin uses “netrpc”. Only grpc is supported."),
    "other-type": (["info.type"], "The plugin reports that it is a device, but it was submitted as a driver."),
    "no-api": (["info.api"], "The plugin reports no API version, so Nomad wouldn't load it."),
    "other-version": (["info.version"], "The plugin reports version v0.9.0, but the release is 1.0.0."),
    "bad-schema": (["schema"], "config.address: “strnig” isn't a type."),
    "accepts-anything": (["garbage"], "The plugin accepts bytes that aren't a configuration."),
    "crash": (
        ["config", "garbage", "task_schema", "capabilities", "fingerprint"],
        "The program exited with exit code 3.",
    ),
    "hangs": (["fingerprint"], "The plugin didn't respond in time."),
    "unhealthy": (["fingerprint"], "The driver is unhealthy and gives no reason."),
}


def read_provider(go_plugin: Path, executable: Path, fault: str) -> SchemaReadResult:
    limits = replace(LIMITS, seconds=4) if fault in HANGING_FAULTS else LIMITS
    return read_directly(ProviderSchemaTarget(executable, SOURCE, "1.0.0", limits, (go_plugin,)))


def run_driver(go_plugin: Path, executable: Path, fault: str) -> NomadPluginRecords:
    target = NomadPluginTarget("driver", "example", "1.0.0", {"address": "127.0.0.1:9999"})
    runner = NomadPluginTestRunner(target, executable, (go_plugin,))
    runner.timeout_seconds = 2 if fault in HANGING_FAULTS else 10
    return runner.run()


@pytest.mark.parametrize(("fault", "protocol"), [("", 6), ("protocol-5", 5)])
def test_schema_is_read_over_mutual_tls(go_plugin: Path, write_plugin: WritePlugin, fault: str, protocol: int) -> None:
    result = read_provider(go_plugin, write_plugin("provider", fault), fault)
    assert (result.problem, result.protocol) == ("", protocol)
    assert "configuring server automatic mTLS" in result.output
    assert result.document is not None
    schemas = result.document["provider_schemas"][SOURCE]["resource_schemas"]
    assert schemas == {
        "example_server": {
            "version": 2,
            "block": {
                "attributes": {
                    "address": {
                        "type": "string",
                        "description": "The address.",
                        "description_kind": "plain",
                        "required": True,
                    },
                    "id": {"type": "string", "description_kind": "plain", "computed": True},
                    "labels": {"type": ["map", "string"], "description_kind": "plain", "optional": True},
                    "token": {"type": "string", "description_kind": "plain", "optional": True, "sensitive": True},
                },
                "block_types": {
                    "disk": {
                        "nesting_mode": "set",
                        "block": {
                            "attributes": {"fast": {"type": "bool", "description_kind": "plain", "optional": True}},
                            "description_kind": "plain",
                        },
                    }
                },
                "description_kind": "plain",
            },
        }
    }


@pytest.mark.parametrize("fault", PROVIDER_FAULTS)
def test_provider_fault_is_reported_with_its_key_and_text(
    go_plugin: Path, write_plugin: WritePlugin, fault: str
) -> None:
    result = read_provider(go_plugin, write_plugin("provider", fault), fault)
    assert (result.document, result.key, result.problem) == (None, *PROVIDER_FAULTS[fault])


def test_error_of_the_caller_is_raised_and_stops_the_plugin(go_plugin: Path, write_plugin: WritePlugin) -> None:
    files = {"provider": write_plugin("provider", "")}
    with open_environment(LIMITS, files=files, readable=[go_plugin]) as environment:
        argv = [environment.locate("provider")]
        with (
            pytest.raises(ValueError, match="not a number"),
            start_plugin(environment, argv, TERRAFORM_COOKIE, (5, 6), has_tls=True, timeout_seconds=10) as plugin,
        ):
            raise ValueError("not a number")
    assert plugin.process.wait() is not None


@needs_terraform_or_opentofu
@pytest.mark.parametrize("fault", ["", "protocol-5", "plain", "plain-with-certificate", "other-certificate"])
def test_terraform_reads_and_refuses_the_same_providers(go_plugin: Path, write_plugin: WritePlugin, fault: str) -> None:
    assert TERRAFORM is not None
    limits = Limits(seconds=30)  # Terraform needs more memory than the provider
    target = ProviderSchemaTarget(write_plugin("provider", fault), SOURCE, "1.0.0", limits, (go_plugin,))
    direct = read_directly(target)
    terraform = read_with_terraform(target, TERRAFORM)
    if fault in PROVIDER_FAULTS:
        assert (direct.document, terraform.document, terraform.key) == (None, None, "terraform")
    else:
        assert direct.document is not None
        assert terraform.document is not None
        assert list_differences(direct.document, terraform.document) == []


def test_valid_driver_passes_every_rule(go_plugin: Path, write_plugin: WritePlugin) -> None:
    records = run_driver(go_plugin, write_plugin("driver", ""), "")
    expected = {rule.key: "pass" for rule in RULES.file.rules if rule.variant in ("", "driver")}
    assert get_outcomes(RULES, records) == expected


@pytest.mark.parametrize("fault", DRIVER_FAULTS)
def test_fault_of_a_driver_fails_its_rules(go_plugin: Path, write_plugin: WritePlugin, fault: str) -> None:
    results = RULES.evaluate(run_driver(go_plugin, write_plugin("driver", fault), fault))
    failures = [each for each in results if each["outcome"] == "fail"]
    assert ([each["rule"] for each in failures], failures[0]["summary"]) == DRIVER_FAULTS[fault]
