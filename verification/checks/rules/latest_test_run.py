"""Checks of the newest test run of a Nomad plugin or a run task. The checks themselves run nothing."""

from collections.abc import Iterable

from portal.core.value_types import JsonObject
from verification.checks.types import Subject, build_repository_key, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources

NOMAD_PLUGIN_CHECK_KEY = "plugin.test_run"
NOMAD_PLUGIN_OBSERVATION_KEY = "nomad_plugin_test_run"
RUN_TASK_CHECK_KEY = "run_task.test_run"
RUN_TASK_OBSERVATION_KEY = "run_task_test_run"
STAGE_TITLES = {"pre_plan": "Pre-plan", "post_plan": "Post-plan", "pre_apply": "Pre-apply", "post_apply": "Post-apply"}
# A callback needs no outcomes (HCP Terraform, Run Tasks Integration API), so a run without them is complete.
OPTIONAL_RULE = "outcomes"
NO_TEST_RUN_RESULT = Result(Outcome.NOT_RUN, "No test run yet.")
OUTCOME_PHRASES = {
    "pass": "passed its test run",
    "warn": "passed its test run with warnings",
    "fail": "failed its test run",
    "error": "couldn't complete its test run",
}
MAX_EVIDENCE_ITEMS = 12


@register_check(NOMAD_PLUGIN_CHECK_KEY)
def check_nomad_plugin_test(subject: Subject, sources: Sources) -> Result:
    test_run = subject.known.get(NOMAD_PLUGIN_OBSERVATION_KEY)
    if not isinstance(test_run, dict):
        return NO_TEST_RUN_RESULT
    if test_run["repository"] != build_repository_key(subject.repository, subject.repository_id):
        return Result(Outcome.NOT_RUN, "The last test run was of another repository. Start a new one.")
    return _build_result(test_run, f"{test_run['type']} plugin", "", ("version", test_run["version"]))


@register_check(RUN_TASK_CHECK_KEY)
def check_run_task_test(subject: Subject, sources: Sources) -> Result:
    test_run = subject.known.get(RUN_TASK_OBSERVATION_KEY)
    if not isinstance(test_run, dict):
        return NO_TEST_RUN_RESULT
    endpoint = subject.find_answer("endpoint")
    # Without an answer, each user has another endpoint, and any of them counts.
    if endpoint not in ("", test_run["url"]):
        evidence = (Evidence("Tested endpoint", test_run["url"][:200]), Evidence("Your answer", str(endpoint)[:200]))
        return Result(Outcome.NOT_RUN, "The last test run was of another endpoint. Start a new one.", evidence)
    # A passed test of one stage shows nothing about the others that the answer names.
    if untested := [stage for stage in _list_stated_stages(subject) if stage not in test_run["stages"]]:
        summary = f"The last test run left out {_format_stages(untested)}. Start a new one."
        return Result(Outcome.NOT_RUN, summary, (Evidence("Tested stages", _format_stages(test_run["stages"])),))
    suffix = f" ({_format_stages(test_run['stages'])})"
    return _build_result(test_run, "run task", suffix, ("address", test_run["url"][:200]))


def _list_stated_stages(subject: Subject) -> list[str]:
    """Return the stages that the partner selected, without the selection of none."""
    # Another form of the program has a statement about the stages under the same key.
    answers = (form_answers.get("stages") for form_answers in subject.answers.values())
    selected = next((answer for answer in answers if isinstance(answer, list)), [])
    return [stage for stage in selected if stage in STAGE_TITLES]


def _format_stages(stages: Iterable[str]) -> str:
    return ", ".join(STAGE_TITLES.get(stage, stage) for stage in stages)


def _build_result(test_run: JsonObject, name: str, suffix: str, revision: tuple[str, str]) -> Result:
    """Return the result of a test run.

    Args:
        name: Name of what was tested, at the start of the summary.
        suffix: Text at the end of the first sentence of the summary.
        revision: Pair of an object and its revision in addition to the test run.
    """
    rule_results = test_run["verdicts"]
    outcome = Outcome(test_run["outcome"])
    open_results = [each for each in rule_results if each["outcome"] != "pass" and each["rule"] != OPTIONAL_RULE]
    evidence = tuple(
        Evidence(each["title"], each["summary"]) for each in (open_results or rule_results)[:MAX_EVIDENCE_ITEMS]
    )
    counts = f"{len(open_results)} of {len(rule_results)} rules"
    # A run that ended early has no verdict on the rules that it didn't reach.
    if outcome == Outcome.NOT_RUN:
        verb = "has" if len(open_results) == 1 else "have"
        summary = f"The test run was incomplete. {counts} {verb} no result."
    else:
        summary = f"The {name} {OUTCOME_PHRASES[outcome]}{suffix}."
        if open_results:
            summary += f" {counts} didn't pass."
    return Result(outcome, summary, evidence, (("test run", test_run["at"][:16]), revision))
