"""Effects of results on a run, for mandatory and advisory tasks."""

from typing import NamedTuple

from verification.testruns.kinds.run_task.protocol import format_stage
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords

STOP_POINTS = {
    "pre_plan": "before the plan",
    "post_plan": "after the plan, before anyone can confirm it",
    "pre_apply": "after the confirmation, before any change",
    "post_apply": "after all changes, which stay in place",
}
MANDATORY_EFFECTS = {
    "passed": "The run continues.",
    "failed": "The run stops {stop_point}.",
    # Without a result in time, the platform ends the task with an error, which blocks like a failure.
    "": "The run stops {stop_point}. The task itself returned an error, which counts as failed.",
}
ADVISORY_EFFECTS = {
    "passed": "The run continues.",
    "failed": "The run continues with a warning.",
    "": "The run continues with a warning that the task returned an error.",
}
WAITING_MESSAGE = "The run waits."


class RunEffect(NamedTuple):
    """The effect of one result on its run. `result`: passed, failed, or blank. `level`: that of the request."""

    key: str
    stage: str
    scenario: str
    level: str
    result: str
    mandatory: str
    advisory: str


def build_effects(records: RunTaskRecords) -> list[RunEffect]:
    """Return one effect per run."""
    return [_build_effect(records, run) for run in records.runs]


def _build_effect(records: RunTaskRecords, run: Exchange) -> RunEffect:
    result = records.get_result(run.key)
    status = ""
    mandatory = WAITING_MESSAGE
    advisory = WAITING_MESSAGE
    # The end of a canceled test run says nothing about a run that was still waiting for its result.
    if result or (records.is_complete and run.key not in records.awaited_runs):
        status = result.status if result else ""
        mandatory = MANDATORY_EFFECTS[status].format(stop_point=STOP_POINTS[run.stage])
        advisory = ADVISORY_EFFECTS[status]
    return RunEffect(run.key, format_stage(run.stage), run.scenario, run.level, status, mandatory, advisory)
