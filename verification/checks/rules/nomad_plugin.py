"""Check of the newest Nomad plugin test. The check itself runs nothing."""

from verification.checks.rules.latest_test_run import (
    NO_TEST_RUN_RESULT,
    build_test_run_result,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Result
from verification.sources import Sources

CHECK_KEY = "plugin.test_run"
OBSERVATION_KEY = "nomad_plugin_test_run"


@register_check(CHECK_KEY)
def check_nomad_plugin_test(subject: Subject, sources: Sources) -> Result:
    test_run = subject.known.get(OBSERVATION_KEY)
    if not isinstance(test_run, dict):
        return NO_TEST_RUN_RESULT
    open_results = [rule_result for rule_result in test_run["verdicts"] if rule_result["outcome"] != "pass"]
    name = f"{test_run['type']} plugin"
    return build_test_run_result(test_run, open_results, name, "", ("version", test_run["version"]))
