"""Effects of results on a run, for mandatory and advisory tasks."""

from dataclasses import asdict, dataclass

from portal.core.value_types import JsonObject
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords
from verification.testruns.kinds.run_task.scenario import format_stage

STOP_POINTS = {
    "pre_plan": "before the plan",
    "post_plan": "after the plan, before anyone can confirm it",
    "pre_apply": "after the confirmation, before any change",
    "post_apply": "after all changes, which stay in place",
}
WAITING_MESSAGE = "The run waits."


@dataclass(frozen=True, slots=True)
class RunEffect:
    """The effect of one result on its run. `result`: passed, failed, or blank without one. `level`: the enforcement
    level of the request.
    """

    act: str
    stage: str
    scenario: str
    result: str
    mandatory: str
    advisory: str
    level: str

    def as_dict(self) -> JsonObject:
        return asdict(self)


def build_effects(records: RunTaskRecords) -> tuple[RunEffect, ...]:
    """Return one effect per run."""
    return tuple(_build_effect(records, run) for run in records.runs())


def _build_effect(records: RunTaskRecords, run: Exchange) -> RunEffect:
    result = records.get_result(run.act)
    status = result.status if result else ""
    if not status and (not records.over or run.act in records.awaited_runs):
        return RunEffect(
            run.act, format_stage(run.stage), run.scenario, "", WAITING_MESSAGE, WAITING_MESSAGE, run.level
        )
    mandatory, advisory = _describe_mandatory_effect(run.stage, status), _describe_advisory_effect(status)
    return RunEffect(run.act, format_stage(run.stage), run.scenario, status, mandatory, advisory, run.level)


def _describe_mandatory_effect(stage: str, status: str) -> str:
    if status == "passed":
        return "The run continues."
    reason = "" if status else " The task itself returned an error, which counts as failed."
    return f"The run stops {STOP_POINTS[stage]}.{reason}"


def _describe_advisory_effect(status: str) -> str:
    if status == "passed":
        return "The run continues."
    return (
        "The run continues with a warning."
        if status
        else ("The run continues with a warning that the task returned an error.")
    )
