"""Effects of results on a run, for mandatory and advisory tasks."""

from pathlib import Path
from typing import NamedTuple

from portal.core.content_files import Content, load_content
from verification.testruns.kinds.run_task.protocol import format_stage
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords


class EffectTexts(Content):
    """Content of effects.yaml. `mandatory` and `advisory`: by status, blank for no result in time."""

    waiting: str
    stop_points: dict[str, str]
    mandatory: dict[str, str]
    advisory: dict[str, str]


TEXTS = load_content(Path(__file__).parent / "content" / "effects.yaml", EffectTexts)


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
    mandatory = TEXTS.waiting
    advisory = TEXTS.waiting
    # The end of a canceled test run says nothing about a run that was still waiting for its result.
    if result or (records.is_complete and run.key not in records.awaited_runs):
        status = result.status if result else ""
        mandatory = TEXTS.mandatory[status].format(stop_point=TEXTS.stop_points[run.stage])
        advisory = TEXTS.advisory[status]
    return RunEffect(run.key, format_stage(run.stage), run.scenario, run.level, status, mandatory, advisory)
