"""Check of the newest run task test. The check itself runs nothing."""

from verification.checks.rules.latest_test_run import (
    NO_TEST_RUN_RESULT,
    build_test_run_result,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Result
from verification.sources import Sources

CHECK_KEY = "run_task.test_run"
OBSERVATION_KEY = "run_task_test_run"
STAGE_TITLES = {"pre_plan": "Pre-plan", "post_plan": "Post-plan", "pre_apply": "Pre-apply", "post_apply": "Post-apply"}


@register_check(CHECK_KEY)
def check_run_task_test(subject: Subject, sources: Sources) -> Result:
    test_run = subject.known.get(OBSERVATION_KEY)
    if not isinstance(test_run, dict):
        return NO_TEST_RUN_RESULT
    open_results = [
        rule_result
        for rule_result in test_run["verdicts"]
        if rule_result["outcome"] != "pass" and rule_result["rule"] != "outcomes"
    ]
    stages = ", ".join(STAGE_TITLES.get(stage, stage) for stage in test_run["stages"])
    return build_test_run_result(test_run, open_results, "run task", f" ({stages})", ("address", test_run["url"][:200]))
