"""Rules for the results that reached our callback URL."""

import itertools
from functools import partial

from verification.outcomes import format_count
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE, format_stage
from verification.testruns.kinds.run_task.records import CallbackRecord, Exchange, RunTaskRecords
from verification.testruns.kinds.run_task.rules.catalog import RULES
from verification.testruns.rules import (
    RuleOutcome,
    choose_worst,
    join_words,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

VERBS = {"passed": "pass", "failed": "fail"}
NO_RESULT = report_not_run("We received no result, so we couldn't test this rule.")
TOKEN_PROBLEMS = {
    "missing": "no bearer token",
    "other_run": "the token of another run",
    "unknown": "a token that doesn't match its run",
}


@RULES.check("token")
def check_token(records: RunTaskRecords) -> RuleOutcome:
    """Check that each result has its own run's bearer token."""
    # Expired and used tokens were valid once. The rules about the end and about repetitions report them.
    problems = [TOKEN_PROBLEMS.get(each.token) for each in records.run_callbacks]
    outcomes = [
        report_failure(f"A result had {problem}. We responded with 401.")
        if problem
        else report_pass("Every result had the token of its own run.")
        for problem in problems
    ]
    return choose_worst(outcomes, NO_RESULT)


@RULES.check("form")
def check_form(records: RunTaskRecords) -> RuleOutcome:
    """Check for PATCH, the platform's media type, and a readable document."""
    return choose_worst(map(_check_callback_form, records.run_callbacks), NO_RESULT)


def _check_callback_form(callback: CallbackRecord) -> RuleOutcome:
    if callback.method != "PATCH":
        return report_failure(f"A result was sent with {callback.method} instead of PATCH. We responded with 405.")
    if callback.form_problems:
        problems = " ".join(callback.form_problems[:3])
        return report_failure(f"A result was invalid. We responded with {callback.response_status}: {problems}")
    # The status of our response doesn't depend on the media type, so another one is only a warning.
    if callback.content_type.partition(";")[0].strip().lower() != CALLBACK_TYPE:
        return report_warning(f"A result had {callback.content_type or 'no media type'} instead of {CALLBACK_TYPE}.")
    return report_pass("Every result was a JSON:API document sent with PATCH.")


@RULES.check("limits")
def check_limits(records: RunTaskRecords) -> RuleOutcome:
    """Check the lengths of message, URL, and body."""
    passed = report_pass("All texts are within their limits.")
    # The rule about the form has already failed for a document without the expected fields.
    readable = [each for each in records.run_callbacks if not each.form_problems]
    return choose_worst(
        [report_failure(" ".join(each.length_problems)) if each.length_problems else passed for each in readable],
        NO_RESULT,
    )


@RULES.check("outcomes")
def check_outcomes(records: RunTaskRecords) -> RuleOutcome:
    """Check outcomes and their tags, if there are any. Notes say where documents contradict each other."""
    callbacks = records.run_callbacks
    notes = tuple(dict.fromkeys(note for each in callbacks for note in each.notes))[:6]
    outcomes = [each for callback in callbacks for each in callback.outcomes]
    tag_count = sum(len(each["tags"]) for each in outcomes)
    counts = f"{format_count(len(outcomes), 'valid outcome')} with {format_count(tag_count, 'tag')}"
    outcome = report_pass(f"The endpoint sent {counts}.")
    if not outcomes:
        outcome = report_not_run("The endpoint sent no outcomes. They are optional and show findings line by line.")
    failures = [report_failure(" ".join(each.outcome_problems[:3])) for each in callbacks if each.outcome_problems]
    return choose_worst(failures, outcome)._replace(notes=notes)


@RULES.check("end")
def check_final_result(records: RunTaskRecords) -> RuleOutcome:
    """Check for a final result within 60 minutes."""
    outcomes = [
        _check_run_end(records, run) for run in records.runs if run.status == 200 or records.list_callbacks(run.key)
    ]
    return choose_worst(outcomes, report_not_run("The endpoint accepted no run, so we expected no result."))


def _check_run_end(records: RunTaskRecords, run: Exchange) -> RuleOutcome:
    callbacks = records.list_callbacks(run.key)
    limits = records.limits
    if records.get_result(run.key):
        return report_pass("Every accepted run got a final result in time.")
    # A late result is refused, so only the state of its token shows that it arrived.
    if any(each.token == "expired" for each in callbacks):  # noqa: S105
        duration = _format_duration(limits.end_seconds)
        return report_failure(f"A result arrived after {duration}. The platform had already given up on the run.")
    if not records.is_complete:
        return report_not_run("We are waiting for a result.")
    if run.key in records.awaited_runs:
        return report_not_run("The test run was canceled before a result arrived.")
    if not callbacks:
        return report_failure(f"{_format_run(run)}: no result arrived.")
    if any(each.response_status == 200 for each in callbacks):
        return report_failure(f"{_format_run(run)}: “running” arrived, but no final result.")
    return report_not_run("The results were invalid, so there is no final result.")


@RULES.check("progress")
def check_progress(records: RunTaskRecords) -> RuleOutcome:
    """Check for an update at least every 10 minutes."""
    accepted = [each for each in records.run_callbacks if each.response_status == 200]
    limit_seconds = records.limits.silence_seconds
    longest_seconds = max((_measure_longest_pause(records, run) for run in records.runs), default=0.0)
    if not accepted:
        return NO_RESULT
    if longest_seconds > limit_seconds:
        return report_failure(
            f"The endpoint sent no update for more than {_format_duration(limit_seconds)}. The platform then gives up "
            "on the run."
        )
    update_count = sum(each.status == "running" for each in accepted)
    summary = "No run took long enough to need a progress update"
    if update_count:
        summary = f"{format_count(update_count, 'progress update')} arrived"
    return report_pass(f"{summary}. The longest pause was {longest_seconds:.1f} of {limit_seconds:g} seconds.")


def _measure_longest_pause(records: RunTaskRecords, run: Exchange) -> float:
    """Return the longest time in seconds without an accepted result of a run, 0 without any."""
    moments = [each.elapsed_seconds for each in records.list_callbacks(run.key) if each.response_status == 200]
    limits = records.limits
    is_finished = records.is_complete and run.key not in records.awaited_runs
    if moments and is_finished and not records.get_result(run.key):
        # No callback marks the end of a silence. It counts as just too long, unless the 60 minutes ended first, which
        # is another rule.
        given_up_at = moments[-1] + limits.silence_seconds
        if given_up_at <= limits.end_seconds:
            moments.append(given_up_at + 1)
    return max((after - before for before, after in itertools.pairwise([0.0, *moments])), default=0.0)


@RULES.check("once")
def check_single_result(records: RunTaskRecords) -> RuleOutcome:
    """Check for one final result per run."""
    outcomes = [
        _check_repetitions(records, run, first.status)
        for run in records.runs
        if (first := records.get_result(run.key)) is not None
    ]
    return choose_worst(outcomes, NO_RESULT)


def _check_repetitions(records: RunTaskRecords, run: Exchange, status: str) -> RuleOutcome:
    repeats = [each for each in records.list_callbacks(run.key) if each.token == "used"]  # noqa: S105
    others = join_words(f"“{each.status}”" for each in repeats if each.status not in ("", status))
    if others:
        return report_failure(
            f"{_format_run(run)}: {others} arrived after “{status}”. We responded with 401. The first result counts."
        )
    # The platform refuses a repetition, so the same result does no harm.
    if repeats:
        return report_warning(
            f"{_format_run(run)}: “{status}” arrived {len(repeats) + 1} times. We accepted only the first."
        )
    return report_pass("Every run got one final result.")


def _check_scenario(records: RunTaskRecords, scenario: str, expected_status: str) -> RuleOutcome:
    """Check that the runs of a scenario have the expected result."""
    runs = [run for run in records.runs if run.scenario == scenario]
    outcomes = []
    for run in runs:
        result = records.get_result(run.key)
        stage = format_stage(run.stage)
        if result is None:
            outcomes.append(report_not_run(f"{stage}: no result arrived, so we couldn't test this rule."))
        elif result.status != expected_status:
            outcomes.append(
                report_failure(f"{stage}: the run should {VERBS[expected_status]}, but it {result.status}.")
            )
    if runs and not outcomes:
        stages = join_words(format_stage(run.stage) for run in runs)
        return report_pass(f"The run {expected_status}: {stages}.")
    return choose_worst(outcomes, report_not_run("There was no such run."))


RULES.check("scenario.passing")(partial(_check_scenario, scenario="passing", expected_status="passed"))
RULES.check("scenario.failing")(partial(_check_scenario, scenario="failing", expected_status="failed"))


def _format_run(run: Exchange) -> str:
    return f"{format_stage(run.stage)}, {run.scenario} run"


def _format_duration(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} seconds"
