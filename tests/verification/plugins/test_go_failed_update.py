"""Tests of failed updates of a provider built with HashiCorp's library, which Terraform runs in the sandbox."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verification.markers import needs_terraform_or_opentofu
from verification.testruns.kinds.provider_lifecycle.driver import ProviderLifecycleTestRunner
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords, ProviderLifecycleTarget
from verification.testruns.kinds.provider_lifecycle.rules import RULES

pytestmark = needs_terraform_or_opentofu
SERVER = "example_server.one"
BASE = 'resource "example_server" "one" {\n  address = "192.0.2.1"\n  labels  = { color = "red" }\n}\n'
CHANGED = BASE.replace("192.0.2.1", "192.0.2.2")
FAILING_CHANGE = CHANGED.replace("192.0.2.2", "192.0.2.9").replace("red", "blue")
CLEAR_ERROR = ("pass", "The update fails with an error: Address in use: Another server has the address 192.0.2.9.")
CORRECT_STATE = ("pass", f"The state matches the service. The next plan still changes {SERVER} (address).")
WRONG_STATE = ("fail", f"The update of {SERVER} failed, but the state contains its change of address.")
NOT_RUN = ("not_run", "The apply that should fail succeeded, so we couldn't test this rule.")
# fault: the results for the error and the state
RESULTS = {
    "": (CLEAR_ERROR, CORRECT_STATE),
    "saves-failed-update": (CLEAR_ERROR, WRONG_STATE),
    "loses-partial-update": (
        CLEAR_ERROR,
        (
            "warn",
            f"The service changed labels of {SERVER} before the update failed, but the state keeps the earlier value.",
        ),
    ),
    "error-after-full-update": (
        CLEAR_ERROR,
        (
            "warn",
            "The next plan shows no change, although the update failed. Return an error only if a part of it failed.",
        ),
    ),
    "vague-error": (("warn", "The error is only “Update failed”. It doesn't say what failed and why."), CORRECT_STATE),
    "no-error": (
        ("fail", f"The apply succeeded without an error, but the next plan still changes {SERVER} (address)."),
        NOT_RUN,
    ),
}
STEPS = ("init", "plan", "apply", "change", "update", "failing_change", "failed_state", "failed_again", "destroy")
RULE_KEYS = ("failing.error", "failing.state")


def run_failing_change(executable: Path, go_plugin: Path) -> ProviderLifecycleRecords:
    target = ProviderLifecycleTarget("acme/example", "1.0.0", BASE, CHANGED, FAILING_CHANGE)
    runner = ProviderLifecycleTestRunner(target, executable, (go_plugin,))
    runner.only_steps = STEPS
    return runner.run()


@pytest.mark.parametrize("fault", RESULTS)
def test_failed_update_is_evaluated_by_its_error_and_its_state(
    go_plugin: Path, write_plugin: Callable[[str, str], Path], fault: str
) -> None:
    results = {
        each["rule"]: each
        for each in RULES.evaluate(run_failing_change(write_plugin("provider", fault), go_plugin))
        if each["outcome"] != "not_run" or each["rule"] in RULE_KEYS
    }
    failed_update = (results.pop(key) for key in RULE_KEYS)
    assert tuple((str(each["outcome"]), each["summary"]) for each in failed_update) == RESULTS[fault]
    assert {key: each["summary"] for key, each in results.items() if str(each["outcome"]) != "pass"} == {}


def test_panic_in_an_update_is_a_crash_with_a_warning_about_the_state(
    go_plugin: Path, write_plugin: Callable[[str, str], Path]
) -> None:
    records = run_failing_change(write_plugin("provider", "update-panics"), go_plugin)
    error, state = (each for each in RULES.evaluate(records) if each["rule"] in RULE_KEYS)
    assert (str(error["outcome"]), error["summary"].partition(".")[0]) == ("fail", "The provider crashed")
    assert str(state["outcome"]) == "warn"
