"""Requests of a run task test, in order, with their bytes. Standard library only."""

from collections.abc import Sequence
from dataclasses import dataclass

from verification.testruns.kinds.run_task.protocol import (
    TEST_TOKEN,
    Run,
    RunTaskUrls,
    build_headers,
    build_run_request,
    compute_signature,
    encode_document,
    encode_with_spaces,
)

OTHER_KEY = "this is not the key of the run task"
PROBE_STAGE = "post_plan"
NEW_FIELD = "a_field_of_tomorrow"
MANDATORY, ADVISORY = "mandatory", "advisory"


@dataclass(frozen=True, slots=True)
class RequestStep:
    """One request. `signed`: right, wrong or none. `body`: plain, spaced, future or malformed.

    `stage` and `scenario` are set for runs, which get a result; the others are probes. `verifies`: it is marked as
    a verification request, as the platform sends one when a run task is created. `level`: the enforcement that it
    is sent with, mandatory or advisory.
    """

    key: str
    title: str
    signed: str = "right"
    body: str = "plain"
    stage: str = ""
    scenario: str = ""
    is_verification: bool = False
    level: str = MANDATORY

    @property
    def is_run(self) -> bool:
        return bool(self.scenario)

    @property
    def run(self) -> str:
        """Which run it belongs to: all stages of a scenario are one run, and each probe is one of its own."""
        return self.scenario or self.key


VERIFICATION_STEP = RequestStep("verify", "Verification request", is_verification=True)
SPACED_STEP = RequestStep(
    "spaced", "Verification request with different whitespace", body="spaced", is_verification=True
)
FUTURE_STEP = RequestStep(
    "future",
    "Verification request with an unknown stage and an unknown field",
    body="future",
    is_verification=True,
)
UNSIGNED_STEP = RequestStep("unsigned", "Run without a signature", signed="none")
WRONG_SIGNATURE_STEP = RequestStep("wrong", "Run with a wrong signature", signed="wrong")
MALFORMED_STEP = RequestStep("malformed", "Incomplete JSON body", body="malformed", is_verification=True)


def list_steps(stages: Sequence[str], *, has_key: bool) -> tuple[RequestStep, ...]:
    """The requests in their order: verification first, as the platform begins, then what must be refused, then runs."""
    probes = (
        (VERIFICATION_STEP, SPACED_STEP, FUTURE_STEP, UNSIGNED_STEP, WRONG_SIGNATURE_STEP, MALFORMED_STEP)
        if has_key
        else (VERIFICATION_STEP, FUTURE_STEP, MALFORMED_STEP)
    )
    runs = [
        RequestStep(
            f"{scenario}.{stage}",
            f"A run that is to {verb}, {format_stage(stage)}, {choose_level(scenario, stage, stages)}",
            stage=stage,
            scenario=scenario,
            level=choose_level(scenario, stage, stages),
        )
        for stage in stages
        for scenario, verb in (("passing", "pass"), ("failing", "fail"))
    ]
    return (*probes, *runs)


def choose_level(scenario: str, stage: str, stages: Sequence[str]) -> str:
    """The enforcement of a run's stage, so that both are seen however few stages there are.

    A run that fails where the task is mandatory gets no further stage: the failing one is advisory up to its last.
    The passing one is mandatory up to its last, and advisory there.
    """
    is_last = stage == stages[-1]
    return MANDATORY if is_last == (scenario == "failing") else ADVISORY


def format_stage(stage: str) -> str:
    """The stage as the platform's pages write it: Post-plan."""
    return stage.replace("_", "-").capitalize()


def build_request(
    step: RequestStep, run: Run, urls: RunTaskUrls, token: str, result_id: str, key: str
) -> tuple[dict[str, str], bytes]:
    """The headers and the body of an act."""
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
