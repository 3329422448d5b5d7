"""Submits an integration with a client generated from the API document, against a real server.

Acme creates a draft, corrects its errors, submits it with every requirement, and requests the review. The reviewer
claims it, raises findings, approves it, and lists it. Results of automated checks are written directly.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services import requirements
from integrations.submissions.workflow.states import Status
from portal.api.v1.app import build_document
from tests.portal.api.client import add_second_factor, create_api_client

INTEGRATION_DATA = {
    "name": "Rocket",
    "description": "Launches rockets.",
    "offerings": ["Open Source"],
    "category": "",
    "repository_address": "acme/nomad-driver-rocket",
    "homepage": "https://acme.example/rocket",
}
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
VALUES = {"uri": "https://docs.example/rocket", "email": "team@acme.example", "date": "2026-01-02"}


def generate_client(folder: Path) -> Path:
    """Return the package that openapi-python-client writes, without any warning."""
    (folder / "openapi.json").write_text(json.dumps(build_document()))
    (folder / "config.yml").write_text("post_hooks: []\n")
    command = ["openapi_python_client", "generate", "--path", "openapi.json", "--output-path", "portal_client"]
    process = subprocess.run(
        [sys.executable, "-m", *command, "--meta", "none", "--config", "config.yml", "--fail-on-warning"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return folder / "portal_client"


@pytest.fixture(scope="module")
def package(tmp_path_factory: Any) -> Iterator[str]:
    """Return the name of the generated client's package, which can be imported."""
    folder: Path = tmp_path_factory.mktemp("client")
    generate_client(folder)
    sys.path.insert(0, str(folder))
    yield "portal_client"
    sys.path.remove(str(folder))


class ClientProgram:
    """A user's program, which calls the generated functions and expects success."""

    def __init__(self, package: str, server: str, user: Any) -> None:
        self.package = package
        self.number = 0
        self.models = import_module(f"{package}.models")
        client: Any = import_module(package).AuthenticatedClient
        self.client = client(base_url=server, token=create_api_client(user).secret, timeout=30)

    def call(self, module_name: str, name: str, *parts: Any, body: Any = None, status: int = 200, **query: Any) -> Any:
        """Call an operation, with an idempotency key for writes. `body`: (name of its schema, fields)."""
        module = import_module(f"{self.package}.api.{module_name}.{name}")
        if body is not None:
            query["body"] = getattr(self.models, body[0]).from_dict(body[1])
        if "idempotency_key" in module._get_kwargs.__annotations__:
            self.number += 1
            query["idempotency_key"] = f"{name}-{self.number}"
        answer = module.sync_detailed(*parts, client=self.client, **query)
        assert answer.status_code == status, (name, parts, answer.content)
        return answer.parsed

    def submit(self, uuid: Any, requirement: str, name: str, shape: str = "EmptyBody", **fields: Any) -> Any:
        return self.call("requirements", f"requirement_{name}", uuid, requirement, body=(shape, fields))

    def list_transitions(self, uuid: Any) -> dict[str, Any]:
        return {transition.name: transition for transition in self.call("integrations", "list_transitions", uuid)}

    def perform_named_transition(self, uuid: Any, step: str) -> Any:
        return self.call("integrations", "perform_named_transition", uuid, step, body=("TransitionIn", {}))


def build_answer(question: dict[str, Any]) -> Any:
    """Return a valid answer to a question, from its JSON Schema."""
    if question.get("type") == "array":
        return question["items"]["enum"][:1]
    if "enum" in question:
        return question["enum"][0]
    if question.get("type") == "boolean":
        return True
    return VALUES.get(question.get("format", ""), 1 if question.get("type") in ("number", "integer") else "Yes.")


@contextmanager
def travel_to(moment: datetime) -> Iterator[None]:
    with time_machine.travel(moment, tick=True):
        yield


class Submission:
    """Submission of an integration with a program on each side."""

    def __init__(self, company: ClientProgram, program: ClientProgram) -> None:
        self.company = company
        self.program = program
        self.uuid: Any = None
        self.now = timezone.now()

    def begin(self) -> None:
        question_schema = self.company.call("programs", "get_answer_schemas", "nomad").start.to_dict()
        fields = INTEGRATION_DATA | {"category": question_schema["properties"]["category"]["enum"][0]}
        draft = self.company.call("drafts", "create_draft", body=("DraftIn", {"program": "nomad"}), status=201)
        self.company.call("drafts", "submit_draft", draft.uuid, status=422)
        draft = self.company.call("drafts", "save_draft", draft.uuid, body=("DraftFields", fields))
        assert draft.problems.to_dict() == {}
        self.uuid = self.company.call("drafts", "submit_draft", draft.uuid, status=201).uuid

    def advance(self) -> str:
        """Complete all missing requirements and take the next step. Return the stage."""
        with travel_to(self.now):
            self.complete_requirements()
            transition_names = {"complete_step", "submit_for_review", "approve", "publish"}
            for side in (self.company, self.program):
                ready = [
                    name
                    for name, transition in side.list_transitions(self.uuid).items()
                    if name in transition_names and transition.ready
                ]
                if ready:
                    self.now += timedelta(minutes=20)
                    return str(side.perform_named_transition(self.uuid, ready[0]).stage)
        raise AssertionError(self.company.call("integrations", "get_integration", self.uuid).open_requirements)

    def complete_requirements(self) -> None:
        for missing in self.company.call("integrations", "get_integration", self.uuid).open_requirements:
            requirement = self.company.call("requirements", "get_requirement", self.uuid, missing.requirement)
            getattr(self, f"complete_{requirement.kind}")(requirement)

    def complete_form(self, requirement: Any) -> None:
        questions = requirement.questions.to_dict()
        body = {name: build_answer(questions["properties"][name]) for name in questions["required"]}
        self.choose_program(requirement).submit(self.uuid, requirement.id, "answer", "AnswersIn", answers=body)

    def choose_program(self, requirement: Any) -> ClientProgram:
        return self.program if requirement.responsible_party == "program" else self.company

    def complete_attestation(self, requirement: Any) -> None:
        self.choose_program(requirement).submit(self.uuid, requirement.id, "confirm", "ConfirmationIn", confirmed=True)

    def complete_document(self, requirement: Any) -> None:
        types = import_module(f"{self.company.package}.types")
        content, name = (b"All tests passed.", "log.txt") if "txt" in requirement.accept else (PNG, "logo.png")
        file = types.File(payload=BytesIO(content), file_name=name)
        body = self.company.models.RequirementUploadMultiPartBodyParams(file=file)
        module = import_module(f"{self.company.package}.api.requirements.requirement_upload")
        answer = module.sync_detailed(self.uuid, requirement.id, client=self.company.client, body=body)
        assert answer.status_code == 200, answer.content

    def complete_agreement(self, requirement: Any) -> None:
        for side, signer in ((self.company, "Alice Archer"), (self.program, "Rita Reyes")):
            body = {"signer": signer, "title": "CEO", "digest": requirement.agreement.digest}
            side.submit(self.uuid, requirement.id, "sign", "SignatureIn", **body)

    def complete_credentials(self, requirement: Any) -> None:
        self.company.submit(self.uuid, requirement.id, "add", "TestCredentialIn", label="Tenant", secret="hunter-2")

    def complete_meeting(self, requirement: Any) -> None:
        time = (self.now + timedelta(hours=1)).replace(second=0, microsecond=0)
        self.company.submit(
            self.uuid,
            requirement.id,
            "propose",
            "MeetingProposalIn",
            times=[time.isoformat()],
            place="https://x.example",
        )
        self.program.submit(self.uuid, requirement.id, "accept", "MeetingAcceptanceIn", starts_at=time.isoformat())
        with travel_to(time + timedelta(hours=1)):
            self.program.submit(
                self.uuid, requirement.id, "hold", "MeetingRecordIn", shown=list(requirement.items), notes="Shown."
            )
        self.now = time + timedelta(hours=2)

    def complete_check(self, requirement: Any) -> None:
        """Store a result, because checks don't run in this test."""
        row = Integration.objects.get(uuid=self.uuid)
        requirements.record_check_outcome(
            row, requirement.id, outcome=Status.PASS, summary="Looks good.", detail=[], retry_at=None, now=self.now
        )


def resolve_finding(submission: Submission) -> None:
    """Raise a finding, answer it, and verify it."""
    uuid = submission.uuid
    program = submission.program
    company = submission.company
    with travel_to(submission.now):
        assert program.call("reviews", "claim", uuid).reviewer == "Rita Reyes"
        finding = ("FindingIn", {"requirement": "NO-3", "text": "More."})
        raised_finding = program.call("reviews", "raise_finding", uuid, body=finding, status=201)
        program.perform_named_transition(uuid, "request_changes")
        company.call("reviews", "resolve_finding", raised_finding.id, body=("FindingResponseIn", {"answer": "Done."}))
        submission.complete_requirements()
    with travel_to(submission.now):
        company.perform_named_transition(uuid, "resubmit_for_review")
        assert program.call("reviews", "verify_finding", raised_finding.id).state == "verified"


@pytest.mark.django_db(transaction=True)
def test_generated_client_completes_a_submission(package: str, live_server: Any, alice: Any, rita: Any) -> None:
    programs = [ClientProgram(package, live_server.url, who) for who in (alice, add_second_factor(rita))]
    submission = Submission(*programs)
    submission.begin()
    stages = [submission.advance()]
    while stages[-1] != "support" and len(stages) < 12:
        if stages[-1] == "review":
            resolve_finding(submission)
        stages.append(submission.advance())
    assert list(dict.fromkeys(stages)) == ["develop", "review", "release", "support"]
    row = Integration.objects.get()
    assert (row.stage, row.listing_status) == ("support", "listed")
    assert {event.actor for event in row.events.exclude(actor="")} == {"Alice Archer", "Rita Reyes"}
    listing = submission.company.call("directory", "get_listing", row.uuid)
    assert listing.to_dict()["name"] == "Rocket"
    for each in programs:
        each.client.get_httpx_client().close()
