"""What would a run do with these results, where the task is mandatory, and where it is advisory? Plain functions."""

from dataclasses import asdict, dataclass
from typing import Any

from verification.testruns.kinds.run_task.records import Exchange, Seen
from verification.testruns.kinds.run_task.scenario import said

BEFORE = {
    "pre_plan": "before anything is planned",
    "post_plan": "after the plan, before anybody can confirm it",
    "pre_apply": "after the confirmation, before anything is changed",
    "post_apply": "after everything was changed; nothing is taken back",
}
WAITS = "The run waits."


@dataclass(frozen=True, slots=True)
class Effect:
    """What follows of one run's result. `result`: passed, failed or blank where none came. `level`: the enforcement
    that it was sent with.
    """

    act: str
    stage: str
    scenario: str
    result: str
    mandatory: str
    advisory: str
    level: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def effects(seen: Seen) -> tuple[Effect, ...]:
    """One for each run that was made."""
    return tuple(_effect(seen, run) for run in seen.runs())


def _effect(seen: Seen, run: Exchange) -> Effect:
    result = seen.result_of(run.act)
    status = result.status if result else ""
    if not status and (not seen.over or run.act in seen.awaited):
        return Effect(run.act, said(run.stage), run.scenario, "", WAITS, WAITS, run.level)
    mandatory, advisory = _mandatory(run.stage, status), _advisory(status)
    return Effect(run.act, said(run.stage), run.scenario, status, mandatory, advisory, run.level)


def _mandatory(stage: str, status: str) -> str:
    if status == "passed":
        return "The run goes on."
    why = "" if status else " The task itself errs, which counts as failed."
    return f"The run stops, {BEFORE[stage]}.{why}"


def _advisory(status: str) -> str:
    if status == "passed":
        return "The run goes on."
    return "The run goes on with a warning." if status else "The run goes on with a warning that the task itself erred."
