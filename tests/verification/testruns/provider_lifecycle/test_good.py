"""Tests of a good provider in the sandbox, and of its secrets."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from tests.verification.markers import needs_sandbox, needs_terraform_or_opentofu
from tests.verification.testruns.provider_lifecycle.world import (
    BASE,
    CANARY,
    CHANGED_CONFIG,
    READABLE,
    build_target,
    get_outcomes,
    get_summary,
    run_lifecycle_test,
    write_executable,
    write_forked_executable,
)
from verification.outcomes import get_exit_code
from verification.sandbox.types import CommandResult, ExitReason
from verification.testruns.kinds.provider_lifecycle.driver import ProviderLifecycleTestRunner, UnsandboxedTestRunner
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.redaction import REDACTED_TEXT, Secrets, mask_sensitive_values
from verification.testruns.kinds.provider_lifecycle.rules import RULES

pytestmark = pytest.mark.xdist_group("lifecycle")


@pytest.fixture(scope="module")
def good() -> ProviderLifecycleRecords:
    reported_steps: list[str] = []
    runner = ProviderLifecycleTestRunner(
        build_target(), write_executable(), READABLE, lambda records: reported_steps.append(records.steps[-1].key)
    )
    records = runner.run()
    assert reported_steps == [step.key for step in records.steps]
    return records


@needs_terraform_or_opentofu
@needs_sandbox
def test_good_provider_with_nested_blocks_passes_every_rule_in_the_sandbox(good: ProviderLifecycleRecords) -> None:
    assert set(get_outcomes(good).values()) == {"pass"}
    assert get_exit_code(RULES.compute_outcome(RULES.evaluate(good))) == 0
    assert get_summary(good, "refused") == (
        "The configuration is rejected: Missing required argument: "
        'The argument "address" is required, but no definition was found.'
    )
    assert (
        get_summary(good, "change.plan")
        == "The plan changes example_server.my-server (address) in place, and nothing else."
    )


@needs_terraform_or_opentofu
@needs_sandbox
def test_steps_run_the_commands_of_terraform_and_apply_saved_plans(good: ProviderLifecycleRecords) -> None:
    plan = "terraform plan -no-color -detailed-exitcode"
    destroy = "terraform destroy -no-color -auto-approve"
    assert [(step.key, step.command) for step in good.steps] == [
        ("direct", "terraform-provider-example_v1.0.0"),
        ("init", "terraform init -no-color"),
        ("validate", "terraform validate -no-color"),
        ("refused", plan),
        ("plan", f"{plan} -out=base.plan"),
        ("apply", "terraform apply -no-color base.plan"),
        ("again", f"{plan} -out=again.plan"),
        ("change", f"{plan} -out=change.plan"),
        ("update", "terraform apply -no-color change.plan"),
        ("settled", f"{plan} -out=settled.plan"),
        ("failing_change", "terraform apply -no-color -auto-approve"),
        ("failed_state", f"{plan} -refresh=false -out=failed_state.plan"),
        ("failed_again", f"{plan} -out=failed_again.plan"),
        ("destroy", destroy),
        ("gone", f"{plan} -out=gone.plan"),
        ("gone_destroy", f"{destroy} -refresh=false"),
        ("partial", "terraform apply -no-color -auto-approve"),
        ("partial_destroy", destroy),
    ]


@needs_terraform_or_opentofu
@needs_sandbox
def test_created_object_stays_in_the_state_when_its_create_fails(good: ProviderLifecycleRecords) -> None:
    assert get_summary(good, "partial") == (
        "The apply failed partway. The state, marked for replacement, keeps example_server.my-server, which could be "
        "destroyed."
    )


@needs_terraform_or_opentofu
@needs_sandbox
def test_failed_update_saves_the_part_that_succeeded(good: ProviderLifecycleRecords) -> None:
    assert get_summary(good, "failing.error") == (
        "The update fails with an error: Mount failed: The target mount/test does not start with a slash."
    )
    assert get_summary(good, "failing.state") == (
        "The state matches the service. The next plan still changes example_server.my-server (address)."
    )


@needs_terraform_or_opentofu
def test_data_source_is_read_before_the_resource_that_uses_it() -> None:
    labels = "  labels = { region = data.example_region.here.name }"
    base, changed = (
        'data "example_region" "here" {}\n\n' + text.replace("  task_spec {", f"{labels}\n  task_spec {{")
        for text in (BASE, CHANGED_CONFIG)
    )
    target = replace(build_target(), base=base, changed=changed)
    records = UnsandboxedTestRunner(target, write_forked_executable()).run()
    assert set(get_outcomes(records).values()) == {"pass"}


@needs_terraform_or_opentofu
def test_objects_are_destroyed_if_the_time_for_more_steps_is_up() -> None:
    def end_time_after_apply(records: ProviderLifecycleRecords) -> None:
        if records.steps[-1].key == "apply":
            runner.latest_start_seconds = -1

    runner = UnsandboxedTestRunner(build_target(), write_forked_executable(), report_progress=end_time_after_apply)
    records = runner.run()
    assert [step.key for step in records.steps][-2:] == ["apply", "cleanup"]
    assert (records.steps[-2].state, records.last_state) == (("example_server.my-server",), ())
    assert get_summary(records, "left") == "The state is empty."


class UnreadableWorkspace:
    """A workspace in which every command succeeds, but no file can be read."""

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> CommandResult:
        return CommandResult(ExitReason.FINISHED, 0, b"", b"", seconds, 0)

    def locate(self, name: str) -> str:
        return name

    def write(self, name: str, data: bytes) -> None: ...

    def read(self, name: str) -> bytes:
        raise PermissionError(name)


class UnreadableStateTestRunner(ProviderLifecycleTestRunner):
    @contextmanager
    def open_workspace(self, files: Mapping[str, bytes | Path]) -> Iterator[UnreadableWorkspace]:
        yield UnreadableWorkspace()


@needs_terraform_or_opentofu
def test_unreadable_state_is_not_replaced_before_the_cleanup() -> None:
    records = UnreadableStateTestRunner(build_target(), Path("provider")).run()
    keys = [step.key for step in records.steps]
    assert keys[-1] == "cleanup"
    assert not {"partial", "partial_destroy"} & {*keys}


@needs_terraform_or_opentofu
def test_records_survive_json_and_contain_no_credential(good: ProviderLifecycleRecords) -> None:
    assert ProviderLifecycleRecords.load(json.loads(json.dumps(good.as_dict()))) == good
    assert CANARY not in json.dumps([good.as_dict(), RULES.build_report(good)])
    assert "This binary is a plugin." in good.steps[0].text


@needs_terraform_or_opentofu
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"true"', ("pass", "The configuration matches the provider's schema.")),
        (
            '"maybe"',
            ("fail", 'Incorrect attribute value type: Inappropriate value for attribute "no_copy": a bool is '),
        ),
    ],
)
def test_value_is_converted_to_the_type_of_the_schema_or_refused(value: str, expected: tuple[str, str]) -> None:
    target = replace(build_target(), base=BASE.replace("target =", f"no_copy = {value}\n        target ="))
    runner = UnsandboxedTestRunner(target, write_forked_executable())
    runner.only_steps = ("init", "validate")
    records = runner.run()
    assert get_outcomes(records)["validate"] == expected[0]
    assert get_summary(records, "validate").startswith(expected[1])


@needs_terraform_or_opentofu
def test_printed_credential_is_redacted_and_reported() -> None:
    records = run_lifecycle_test("leaks", ("init", "plan"))
    report_text = json.dumps([records.as_dict(), RULES.build_report(records)])
    assert get_outcomes(records)["secrets.output"] == "fail"
    assert REDACTED_TEXT in report_text
    assert not [form for form in (CANARY, *CANARY.split()) if form in report_text]


@needs_terraform_or_opentofu
def test_variable_reaches_the_provider_through_its_configuration() -> None:
    configuration = 'variable "secret" {}\nprovider "example" {\n  token = var.secret\n}\n'
    target = replace(build_target(), base=BASE + configuration, environment={"TF_VAR_secret": CANARY})
    runner = UnsandboxedTestRunner(target, write_forked_executable("leaks"))
    runner.only_steps = ("init", "plan")
    expected = "The value of TF_VAR_secret was printed in “Plan the configuration”. We removed it here."
    assert get_summary(runner.run(), "secrets.output") == expected


@pytest.mark.parametrize("around", ["", "x", "xy", "user:"])
def test_credential_is_redacted_in_every_encoding(around: str) -> None:
    secrets = Secrets({"TOKEN": CANARY})
    inner = f"{around}{CANARY}{around}".encode()
    urlsafe = base64.urlsafe_b64encode(inner).decode()
    plain = base64.b64encode(inner).decode()
    for text in (CANARY, quote_plus(CANARY), json.dumps(CANARY), CANARY.encode().hex(), plain, urlsafe):
        redacted_text = secrets.redact(f"before {text} after")
        assert REDACTED_TEXT in redacted_text
        assert len(redacted_text) <= len("before  after") + len(REDACTED_TEXT) + 2 * len(around) + 8
        assert secrets.find_names_in(text) == ("TOKEN",)


def test_setting_is_redacted_but_not_reported_as_leak() -> None:
    secrets = Secrets({"REGION": "eu-west-1", "PIN": "123"})
    assert secrets.find_names_in("eu-west-1") == ()
    assert secrets.redact("eu-west-1 123") == f"{REDACTED_TEXT} 123"


def test_unstorable_characters_are_removed() -> None:
    assert Secrets({}).redact_data({"a\x00": ["b\ud800"]}) == {"a": ["b?"]}


def test_sensitive_values_are_masked() -> None:
    value = {"a": {"b": "x", "c": ["y", "z"]}, "d": 1, "e": None}
    assert mask_sensitive_values(value, {"a": {"b": True, "c": [False, True]}, "d": True, "e": True}) == {
        "a": {"b": "(sensitive value)", "c": ["y", "(sensitive value)"]},
        "d": "(sensitive value)",
        "e": None,
    }
