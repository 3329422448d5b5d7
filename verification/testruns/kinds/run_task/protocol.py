"""HCP Terraform's requests to run tasks: their bytes, their signatures, and their order in a test.

Source: run tasks integration API of HCP Terraform, payload version 1.
"""

import gzip
import hashlib
import hmac
import io
import json
import secrets
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from portal.core.content_files import Content, load_content
from portal.core.value_types import JsonObject
from verification.testruns.kinds.run_task.records import RunTaskLimits

STAGES = ("pre_plan", "post_plan", "pre_apply", "post_apply")
# The API page sends plan_json_api_url for the later stages only: before the plan, there is nothing to download.
STAGES_WITHOUT_PLAN = ("pre_plan",)
SIGNATURE_HEADER = "X-TFC-Task-Signature"
USER_AGENT = "TFC/1.0 (+https://app.terraform.io; TFC)"
TEST_TOKEN = "test-token"  # noqa: S105 - the platform's own constant: it marks a verification request
CALLBACK_TYPE = "application/vnd.api+json"
APP_URL = "https://app.terraform.io/app"
ORGANIZATION = "partner-portal-test"
OTHER_KEY = "this is not the key of the run task"
PROBE_STAGE = "post_plan"
# The Terraform Integration Program announces further stages, so endpoints must expect some that they don't know.
NEW_FIELD = "a_field_of_tomorrow"
MANDATORY = "mandatory"
ADVISORY = "advisory"


@dataclass(frozen=True, slots=True)
class RunTaskUrls:
    """The URLs for the result, the plan, and the configuration."""

    callback: str
    plan: str
    configuration: str


class Scenario(Content):
    """A simulated run and how an endpoint can recognize it. `plan`: JSON text."""

    name: str
    workspace: str
    message: str
    plan: str


class ScenarioFile(Content):
    """Content of scenarios.yaml."""

    passing: Scenario
    failing: Scenario


SCENARIOS: dict[str, Scenario] = vars(load_content(Path(__file__).parent / "content" / "scenarios.yaml", ScenarioFile))


def format_stage(stage: str) -> str:
    """Return the stage as the platform displays it: Post-plan."""
    return stage.replace("_", "-").capitalize()


def compute_signature(body: bytes, key: str) -> str:
    """Return the HMAC-SHA512 of the raw body in lowercase hex, blank without a key."""
    return hmac.new(key.encode(), body, hashlib.sha512).hexdigest() if key else ""


class RequestStep(Content):
    """One request. `signed`: right, wrong, or none. `body`: plain, spaced, future, or malformed.

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
    def run(self) -> str:
        """Return the run key: all stages of a scenario are one run, and each probe is its own."""
        return self.scenario or self.key


PROBES = load_content(Path(__file__).parent / "content" / "steps.yaml", tuple[RequestStep, ...])


@dataclass(frozen=True, slots=True)
class RunTaskTarget:
    """The tested endpoint, its HMAC key (blank: unsigned), the stages, and both scenarios.

    `test_run_id` and `started_at` determine the IDs and timestamps of the runs, so they stay the same in all slices.
    All stages of a run share its IDs, all runs share the project, and all runs of a workspace share its ID.
    """

    url: str
    key: str
    stages: tuple[str, ...]
    scenarios: Mapping[str, Scenario] = field(default_factory=lambda: SCENARIOS)
    limits: RunTaskLimits = field(default_factory=RunTaskLimits)
    test_run_id: str = field(default_factory=lambda: secrets.token_hex(8))
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def list_steps(self) -> tuple[RequestStep, ...]:
        """Return the requests in order: verification, requests that must be refused, runs."""
        probes = [step for step in PROBES if self.key or not step.needs_key]
        runs = [
            _build_run_step(scenario, stage, is_last=stage == self.stages[-1])
            for stage in self.stages
            for scenario in ("passing", "failing")
        ]
        return (*probes, *runs)

    def get_scenario(self, step_key: str) -> Scenario:
        return self.scenarios.get(step_key.partition(".")[0], self.scenarios["passing"])

    def build_id(self, kind: str, *parts: str) -> str:
        """Return an ID such as "run-0f3c5a9e1b2d4c68", derived from the test run."""
        # Derived, not random: a slice that resumes the test must send the same IDs.
        source = "/".join((self.test_run_id, kind, *parts))
        return f"{kind}-{hashlib.sha256(source.encode()).hexdigest()[:16]}"


def _build_run_step(scenario: str, stage: str, *, is_last: bool) -> RequestStep:
    """Return the request for a stage, with an enforcement level so that the endpoint sees both levels.

    A failed mandatory task ends its run, so the failing run is advisory until its last stage. The passing run is
    mandatory until its last stage.
    """
    level = MANDATORY if is_last == (scenario == "failing") else ADVISORY
    title = f"{scenario.capitalize()} run, {format_stage(stage)}, {level}"
    return RequestStep(f"{scenario}.{stage}", title, stage=stage, scenario=scenario, level=level)


def build_run_request(target: RunTaskTarget, step: RequestStep, urls: RunTaskUrls, token: str) -> JsonObject:
    """Return the document for a step, with the ID of a new result."""
    stage = step.stage or PROBE_STAGE
    scenario = target.get_scenario(step.key)
    workspace = scenario.workspace
    run_id = target.build_id("run", step.run)
    project_id = target.build_id("prj")
    return {
        "payload_version": 1,
        "stage": stage,
        "access_token": TEST_TOKEN if step.is_verification else token,
        "capabilities": {"outcomes": True},
        "configuration_version_download_url": urls.configuration,
        "configuration_version_id": target.build_id("cv", step.run),
        "is_speculative": False,
        "organization_name": ORGANIZATION,
        **({} if stage in STAGES_WITHOUT_PLAN else {"plan_json_api_url": urls.plan}),
        "project_id": project_id,
        "project_name": "Partner portal test",
        "project_app_url": f"{APP_URL}/{ORGANIZATION}/projects/{project_id}",
        "run_app_url": f"{APP_URL}/{ORGANIZATION}/workspaces/{workspace}/runs/{run_id}",
        "run_created_at": target.started_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "run_created_by": "partner-portal",
        "run_id": run_id,
        "run_message": scenario.message,
        "task_result_callback_url": urls.callback,
        # No document lists this level, but requests that the platform sends when a run task is created have it.
        "task_result_enforcement_level": "test" if step.is_verification else step.level,
        "task_result_id": f"taskrs-{secrets.token_hex(8)}",
        # All nullable: a run that wasn't started by a commit has no VCS data.
        "vcs_branch": None,
        "vcs_commit_hash": None,
        "vcs_commit_url": None,
        "vcs_pull_request_url": None,
        "vcs_repo_url": None,
        "workspace_app_url": f"{APP_URL}/{ORGANIZATION}/workspaces/{workspace}",
        "workspace_id": target.build_id("ws", workspace),
        "workspace_name": workspace,
        "workspace_working_directory": None,
    }


def encode_document(document: Mapping[str, object]) -> bytes:
    """Encode a document as the platform does: compact, UTF-8."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def build_configuration_archive(scenario: Scenario) -> bytes:
    """Return a reproducible tar.gz with one main.tf that names the scenario."""
    text = f'# {scenario.message}\nresource "terraform_data" "{scenario.name}" {{}}\n'.encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("main.tf")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return gzip.compress(buffer.getvalue(), mtime=0)


def build_request(
    target: RunTaskTarget, step: RequestStep, urls: RunTaskUrls, token: str
) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a step."""
    document = build_run_request(target, step, urls, token)
    if step.body == "future":
        document |= {"stage": "test", NEW_FIELD: {"known": False}}
    body = encode_document(document)
    if step.body == "spaced":
        # JSON has several encodings of these characters, so a document that was parsed and encoded again has other
        # bytes. With different spacing, order, and escapes, only the raw bytes match the signature.
        document["run_message"] = "Grüße aus dem Portal – <&>"
        body = json.dumps(dict(reversed(document.items())), indent=2).encode() + b"\n"
    if step.body == "malformed":
        body = body[: len(body) // 2]
    # The signature covers the final bytes: the endpoint must refuse half a document because it isn't JSON.
    keys = {"right": target.key, "wrong": OTHER_KEY, "none": ""}
    # The signature header is present even if it is blank.
    signature = compute_signature(body, keys[step.signed])
    return {"Content-Type": "application/json", "User-Agent": USER_AGENT, SIGNATURE_HEADER: signature}, body
