"""Which requests are made to a run task, in which order? A table, and the bytes of each. Standard library only."""

from collections.abc import Sequence
from dataclasses import dataclass

from verification.testruns.kinds.run_task.protocol import (
    TEST_TOKEN,
    Places,
    Run,
    encoded,
    headers,
    run_request,
    signature,
    spaced,
)

OTHER_KEY = "this is not the key of the run task"
PROBE_STAGE = "post_plan"
NEW_FIELD = "a_field_of_tomorrow"
MANDATORY, ADVISORY = "mandatory", "advisory"


@dataclass(frozen=True, slots=True)
class Act:
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
    verifies: bool = False
    level: str = MANDATORY

    @property
    def is_run(self) -> bool:
        return bool(self.scenario)

    @property
    def run(self) -> str:
        """Which run it belongs to: all stages of a scenario are one run, and each probe is one of its own."""
        return self.scenario or self.key


VERIFY = Act("verify", "Verification request", verifies=True)
SPACED = Act("spaced", "The same, written with other spaces", body="spaced", verifies=True)
FUTURE = Act("future", "Verification request with a stage and a field that are not known yet", body="future",
             verifies=True)  # fmt: skip
UNSIGNED = Act("unsigned", "Run without a signature", signed="none")
WRONG = Act("wrong", "Run with the signature of another key", signed="wrong")
MALFORMED = Act("malformed", "Body that is not whole JSON", body="malformed", verifies=True)


def script(stages: Sequence[str], *, has_key: bool) -> tuple[Act, ...]:
    """The requests in their order: verification first, as the platform begins, then what must be refused, then runs."""
    probes = (VERIFY, SPACED, FUTURE, UNSIGNED, WRONG, MALFORMED) if has_key else (VERIFY, FUTURE, MALFORMED)
    runs = [
        Act(
            f"{scenario}.{stage}",
            f"A run that is to {word}, {said(stage)}, {level_of(scenario, stage, stages)}",
            stage=stage,
            scenario=scenario,
            level=level_of(scenario, stage, stages),
        )
        for stage in stages
        for scenario, word in (("passing", "pass"), ("failing", "fail"))
    ]
    return (*probes, *runs)


def level_of(scenario: str, stage: str, stages: Sequence[str]) -> str:
    """The enforcement of a run's stage, so that both are seen however few stages there are.

    A run that fails where the task is mandatory gets no further stage: the failing one is advisory up to its last.
    The passing one is mandatory up to its last, and advisory there.
    """
    is_last = stage == stages[-1]
    return MANDATORY if is_last == (scenario == "failing") else ADVISORY


def said(stage: str) -> str:
    """The stage as the platform's pages write it: Post-plan."""
    return stage.replace("_", "-").capitalize()


def request_of(
    act: Act, run: Run, places: Places, token: str, result_id: str, key: str
) -> tuple[dict[str, str], bytes]:
    """The headers and the body of an act."""
    token = TEST_TOKEN if act.verifies else token
    level = "test" if act.verifies else act.level
    document = run_request(run, act.stage or PROBE_STAGE, places, token, result_id, level)
    if act.body == "future":
        document |= {"stage": "test", NEW_FIELD: {"known": False}}
    if act.body == "spaced":
        document["run_message"] = "Grüße aus dem Portal – <&>"
    body = spaced(document) if act.body == "spaced" else encoded(document)
    if act.body == "malformed":
        body = body[: len(body) // 2]
    keys = {"right": key, "wrong": OTHER_KEY, "none": ""}
    return headers(signature(body, keys[act.signed])), body
