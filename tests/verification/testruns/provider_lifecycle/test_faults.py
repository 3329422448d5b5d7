"""Tests of each fault of the example provider on the real Terraform."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from examples.provider import FAULTS
from tests.verification.markers import needs_terraform_or_opentofu
from tests.verification.testruns.provider_lifecycle.world import (
    get_outcomes,
    get_summary,
    run_lifecycle_test,
    write_forked_executable,
)

pytestmark = [needs_terraform_or_opentofu, pytest.mark.xdist_group("lifecycle")]
CREATION_STEPS = ("init", "plan", "apply")
# the steps that run, the rule that fails, and its summary
SERVER = "example_server.my-server"
EXPECTED = {
    "perpetual-diff": (
        (*CREATION_STEPS, "again"),
        "again",
        f"The same configuration would change {SERVER} (address) when planned again.",
    ),
    "wrong-update": (
        (*CREATION_STEPS, "change", "update", "settled"),
        "change.again",
        f"The changed configuration would change {SERVER} (address and labels) when planned again.",
    ),
    "replaces": (
        (*CREATION_STEPS, "change"),
        "change.plan",
        f"{SERVER} would be replaced because of address, not changed in place.",
    ),
    "destroy-fails-when-gone": (
        (*CREATION_STEPS, "destroy", "gone_destroy"),
        "gone.destroy",
        "An object that no longer exists can't be destroyed. Destroy failed: 404: ",
    ),
    "crash": (CREATION_STEPS, "apply", "The provider crashed. "),
    "blind-read": (
        (*CREATION_STEPS, "destroy", "gone"),
        "gone",
        f"{SERVER} is deleted, but the plan doesn't create a new one.",
    ),
    "new-id": (
        (*CREATION_STEPS, "change"),
        "change.plan",
        f"{SERVER} gets a new ID despite the change in place. References to it break.",
    ),
    "inconsistent": (
        CREATION_STEPS,
        "apply",
        "The result differs from the plan. Provider produced inconsistent result after apply",
    ),
    "unvalidated": (("init", "refused"), "refused", "The plan accepts the invalid configuration."),
    "leaks": (
        ("init", "plan"),
        "secrets.output",
        "The value of EXAMPLE_TOKEN was printed in “Plan the configuration”. We removed it here.",
    ),
    "forgets-partial": (
        ("init", "partial"),
        "partial",
        "The apply failed partway, and the state is empty. Created objects are lost.",
    ),
    "saves-failed-update": (
        (*CREATION_STEPS, "change", "update", "failing_change", "failed_state", "failed_again"),
        "failing.state",
        f"The update of {SERVER} failed, but the state contains its change of address.",
    ),
    "no-notice": (("direct",), "direct", "The provider prints no notice that it is a plugin and doesn't exit."),
}
WARNINGS = {"crash": "left", "forgets-partial": "left"}  # rules that warn as well


@pytest.fixture(scope="module", autouse=True)
def run_all_faults() -> None:
    """Run the tests of all faults, two at a time."""
    for fault in EXPECTED:
        write_forked_executable(fault)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda fault: run_lifecycle_test(fault, EXPECTED[fault][0]), EXPECTED))


def test_every_fault_of_the_example_is_expected() -> None:
    assert set(EXPECTED) == set(FAULTS)


@pytest.mark.parametrize("fault", EXPECTED)
def test_fault_fails_its_own_rule_alone(fault: str) -> None:
    steps, rule, message = EXPECTED[fault]
    records = run_lifecycle_test(fault, steps)
    other_outcomes = {
        key: outcome for key, outcome in get_outcomes(records).items() if outcome not in ("pass", "not_run")
    }
    assert other_outcomes == {rule: "fail"} | ({WARNINGS[fault]: "warn"} if fault in WARNINGS else {})
    assert get_summary(records, rule).startswith(message)
