"""Rules for the results that reached our callback URL."""

import itertools
from collections.abc import Callable

from verification.testruns.kinds.run_task.callback_service import is_expected
from verification.testruns.kinds.run_task.judging import join_words
from verification.testruns.kinds.run_task.records import CallbackRecord, Exchange, RunTaskRecords
from verification.testruns.kinds.run_task.scenario import format_stage
from verification.testruns.rule_results import (
    RuleOutcome,
    choose_worst,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

VERBS = {"passed": "pass", "failed": "fail"}
NO_RESULT = report_not_run("We received no result, so we couldn't test this rule.")


def check_token(records: RunTaskRecords) -> RuleOutcome:
    """Check that each result has its own run's bearer token."""
    messages = {
        "missing": "A result had no bearer token. We responded with 401.",
        "another": "A result had the token of another run. We responded with 401.",
        "unknown": "A result had a token that doesn't match its run. We responded with 401.",
    }
    rule_outcomes = [
        report_failure(messages[each.token]) if each.token in messages else TOKEN_PASSED
        for each in _list_run_callbacks(records)
    ]
    return choose_worst(rule_outcomes, NO_RESULT)


TOKEN_PASSED = report_pass("Every result had the token of its own run.")


def check_form(records: RunTaskRecords) -> RuleOutcome:
    """Check for PATCH, the platform's media type, and a readable document."""
    return choose_worst((_check_callback_form(each) for each in _list_run_callbacks(records)), NO_RESULT)


def _check_callback_form(callback: CallbackRecord) -> RuleOutcome:
    if callback.method != "PATCH":
        return report_failure(f"A result was sent with {callback.method} instead of PATCH. We responded with 405.")
    if callback.form:
        return report_failure(
            f"A result was invalid. We responded with {callback.answered}: {' '.join(callback.form[:3])}"
        )
    if not is_expected(callback.content_type):
        return report_warning(
            f"A result had {callback.content_type or 'no media type'} instead of application/vnd.api+json."
        )
    return report_pass("Every result was a JSON:API document sent with PATCH.")


def check_limits(records: RunTaskRecords) -> RuleOutcome:
    """Check the lengths of message, URL and body."""
    readable_callbacks = [each for each in _list_run_callbacks(records) if not each.form]
    rule_outcomes = [
        report_failure(" ".join(each.limits)) if each.limits else report_pass("All texts are within their limits.")
        for each in readable_callbacks
    ]
    return choose_worst(rule_outcomes, NO_RESULT)


def check_outcomes(records: RunTaskRecords) -> RuleOutcome:
    """Check outcomes and their tags, if there are any."""
    callbacks = _list_run_callbacks(records)
    failures = [report_failure(" ".join(each.shape[:3])) for each in callbacks if each.shape]
    if failures:
        return choose_worst(failures, NO_RESULT)
    sent_outcomes = [each for callback in callbacks for each in callback.outcomes]
    if not sent_outcomes:
        return report_not_run("The endpoint sent no outcomes. They are optional and show findings line by line.")
    tags = sum(len(each["tags"]) for each in sent_outcomes)
    return report_pass(f"The endpoint sent {len(sent_outcomes)} valid outcomes with {tags} tags.")


def collect_notes(records: RunTaskRecords) -> tuple[str, ...]:
    """Return where documents contradict each other, and which reading applies."""
    return tuple(dict.fromkeys(note for each in _list_run_callbacks(records) for note in each.notes))[:6]


def check_final_result(records: RunTaskRecords) -> RuleOutcome:
    """Check for a final result within 60 minutes."""
    rule_outcomes = [
        _check_run_end(records, run) for run in records.runs() if run.status == 200 or records.list_callbacks(run.act)
    ]
    return choose_worst(rule_outcomes, report_not_run("The endpoint accepted no run, so we expected no result."))


def _check_run_end(records: RunTaskRecords, run: Exchange) -> RuleOutcome:
    callbacks, limits = records.list_callbacks(run.act), records.limits
    if records.get_result(run.act):
        return report_pass("Every accepted run got a final result in time.")
    if any(each.token == "dead" for each in callbacks):  # noqa: S105
        return report_failure(
            f"A result arrived after {_format_duration(limits.end)}. The platform had already given up on the run."
        )
    if not records.over:
        return report_not_run("We are waiting for a result.")
    if run.act in records.awaited_runs:
        return report_not_run("The test run was canceled before a result arrived.")
    if not callbacks:
        return report_failure(f"{_format_run(run)}: no result arrived.")
    if any(each.answered == 200 for each in callbacks):
        return report_failure(f"{_format_run(run)}: “running” arrived, but no final result.")
    return report_not_run("The results were invalid, so there is no final result.")


def check_progress(records: RunTaskRecords) -> RuleOutcome:
    """Check for an update at least every 10 minutes."""
    longest_seconds, limit_seconds = 0.0, records.limits.silence_seconds
    moments_by_run = [
        (run, [callback.after for callback in records.list_callbacks(run.act) if callback.answered == 200])
        for run in records.runs()
    ]
    if not any(moments for _, moments in moments_by_run):
        return NO_RESULT
    for run, moments in moments_by_run:
        is_given_up = records.over and run.act not in records.awaited_runs
        is_abandoned = (
            moments
            and is_given_up
            and not records.get_result(run.act)
            and moments[-1] + limit_seconds <= records.limits.end
        )
        edges = [0.0, *moments, *([moments[-1] + limit_seconds + 1] if is_abandoned else [])]
        longest_seconds = max([longest_seconds, *(after - before for before, after in itertools.pairwise(edges))])
    if longest_seconds > limit_seconds:
        return report_failure(
            f"The endpoint sent no update for more than {_format_duration(limit_seconds)}. The platform then "
            "gives up on the run."
        )
    heartbeat_count = sum(each.status == "running" and each.answered == 200 for each in _list_run_callbacks(records))
    summary = (
        f"{heartbeat_count} progress updates arrived"
        if heartbeat_count
        else "No run took long enough to need a progress update"
    )
    return report_pass(f"{summary}. The longest pause was {longest_seconds:.1f} of {limit_seconds:g} seconds.")


def check_single_result(records: RunTaskRecords) -> RuleOutcome:
    """Check for one final result per run."""
    return choose_worst(
        (_check_run_once(records, run) for run in records.runs() if records.get_result(run.act)), NO_RESULT
    )


def _check_run_once(records: RunTaskRecords, run: Exchange) -> RuleOutcome:
    first = records.get_result(run.act)
    repeats = [each for each in records.list_callbacks(run.act) if each.token == "used"]  # noqa: S105
    if first is None or not repeats:
        return report_pass("Every run got one final result.")
    other_statuses = [each.status for each in repeats if each.status not in ("", first.status)]
    if other_statuses:
        return report_failure(
            f"{_format_run(run)}: after “{first.status}” came {join_words(f'“{each}”' for each in other_statuses)}, "
            "and was "
            "answered with 401. The first result counts."
        )
    return report_warning(
        f"{_format_run(run)}: “{first.status}” arrived {len(repeats) + 1} times. We accepted only the first."
    )


def build_scenario_check(name: str, expected_status: str) -> Callable[[RunTaskRecords], RuleOutcome]:
    """Return the check that the runs of a scenario have the expected result."""

    def evaluate(records: RunTaskRecords) -> RuleOutcome:
        runs = [run for run in records.runs() if run.scenario == name]
        return choose_worst(
            (_check_scenario_run(records, run, expected_status) for run in runs),
            report_not_run("There was no such run."),
        )

    return evaluate


def _check_scenario_run(records: RunTaskRecords, run: Exchange, expected_status: str) -> RuleOutcome:
    result = records.get_result(run.act)
    if result is None:
        return report_not_run(f"{format_stage(run.stage)}: no result arrived, so we couldn't test this rule.")
    if result.status != expected_status:
        return report_failure(
            f"{format_stage(run.stage)}: the run should {VERBS[expected_status]}, but it {result.status}."
        )
    stages = join_words(format_stage(each.stage) for each in records.runs() if each.scenario == run.scenario)
    return report_pass(f"The run {expected_status}: {stages}.")


def _list_run_callbacks(records: RunTaskRecords) -> list[CallbackRecord]:
    """Return the callbacks of runs."""
    runs = {run.act for run in records.runs()}
    return [each for each in records.callbacks if each.act in runs]


def _format_run(run: Exchange) -> str:
    return f"{format_stage(run.stage)}, {run.scenario} run"


def _format_duration(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} seconds"
