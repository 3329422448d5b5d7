"""Requests of a run task test, in order, with their bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from portal.core.content_files import Content, load_content
from verification.testruns.kinds.run_task.protocol import (
    TEST_TOKEN,
    Run,
    RunTaskUrls,
    build_headers,
    build_run_request,
    compute_signature,
    encode_document,
    encode_with_spaces,
    format_stage,
)

OTHER_KEY = "this is not the key of the run task"
PROBE_STAGE = "post_plan"
NEW_FIELD = "a_field_of_tomorrow"
MANDATORY, ADVISORY = "mandatory", "advisory"


@dataclass(frozen=True, slots=True)
class RequestStep(Content):
    """One request. `signed`: right, wrong or none. `body`: plain, spaced, future or malformed.

    `stage` and `scenario` are set for runs, which receive a result; other requests are probes. `is_verification`: the
    platform sends such a request when a run task is created. `needs_key`: it is sent only if requests are signed.
    `level`: mandatory or advisory.
    """

    key: str
    title: str
    signed: str = "right"
    body: str = "plain"
    stage: str = ""
    scenario: str = ""
    is_verification: bool = False
    needs_key: bool = False
    level: str = MANDATORY

    @property
    def is_run(self) -> bool:
        return bool(self.scenario)

    @property
    def run(self) -> str:
        """Return the run key: all stages of a scenario are one run, and each probe is its own."""
        return self.scenario or self.key


PROBES = load_content(Path(__file__).parent / "content" / "steps.yaml", TypeAdapter(tuple[RequestStep, ...]))


def list_steps(stages: Sequence[str], *, has_key: bool) -> tuple[RequestStep, ...]:
    """Return the requests in order: verification, requests that must be refused, runs."""
    probes = [step for step in PROBES if has_key or not step.needs_key]
    runs = [
        RequestStep(
            f"{scenario}.{stage}",
            f"{scenario.capitalize()} run, {format_stage(stage)}, {choose_level(scenario, stage, stages)}",
            stage=stage,
            scenario=scenario,
            level=choose_level(scenario, stage, stages),
        )
        for stage in stages
        for scenario in ("passing", "failing")
    ]
    return (*probes, *runs)


def choose_level(scenario: str, stage: str, stages: Sequence[str]) -> str:
    """Return the enforcement level of a stage, so that the endpoint sees both levels.

    A failed mandatory task ends its run, so the failing run is advisory until its last stage. The passing run is
    mandatory until its last stage.
    """
    is_last = stage == stages[-1]
    return MANDATORY if is_last == (scenario == "failing") else ADVISORY


def build_request(
    step: RequestStep, run: Run, urls: RunTaskUrls, token: str, result_id: str, key: str
) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a step."""
    token = TEST_TOKEN if step.is_verification else token
    level = "test" if step.is_verification else step.level
    document = build_run_request(run, step.stage or PROBE_STAGE, urls, token, result_id, level)
    if step.body == "future":
        document |= {"stage": "test", NEW_FIELD: {"known": False}}
    if step.body == "spaced":
        document["run_message"] = "Grüße aus dem Portal – <&>"
    body = encode_with_spaces(document) if step.body == "spaced" else encode_document(document)
    if step.body == "malformed":
        body = body[: len(body) // 2]
    keys = {"right": key, "wrong": OTHER_KEY, "none": ""}
    return build_headers(compute_signature(body, keys[step.signed])), body
