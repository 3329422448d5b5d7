"""Tests that the workflow waits for what the Terraform and Nomad guides require, and lists nothing before."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.submissions.models import Integration
from integrations.submissions.selectors.context import list_missing_at
from integrations.submissions.services import findings, requirements as answers
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from portal.core.errors import ActionRefused
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.fakes.github.server import TEXTS, build_license_text
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import parse
from tests.integrations.programs.guides import GUIDES, NOMAD, PROVIDER, RUN_TASK
from tests.integrations.submissions.published_programs import LICENSES
from tests.replay import build_or_replay
from tests.verification.checks.fake_sources import REPOSITORY, FakeSources, build_release, build_snapshot
from verification.checks.execution import build_subject
from verification.checks.types import CHECKS

pytestmark = pytest.mark.any_database

IntegrationAt = Callable[..., Integration]
AFTER_UNDO_PERIOD = timedelta(minutes=11)
DRIVER = "container-runtime"
# program, category, requirement, the step that stays current without it, the transition that waits for it
TRANSITION_REQUIREMENTS = [
    (PROVIDER, "", "TP-LIC", "prepare", "complete_step"),
    (PROVIDER, "", "TP-SRC", "prepare", "complete_step"),
    (PROVIDER, "", "TP-REL", "publish", "complete_step"),
    (PROVIDER, "", "TP-PUB", "publish", "complete_step"),
    (PROVIDER, "", "TP-DOC", "publish", "complete_step"),
    (PROVIDER, "", "TP-APPLY", "apply", "submit_for_review"),
    (PROVIDER, "", "TP-AGREE", "verify", "approve"),
    (PROVIDER, "", "TP-VERIFY", "verify", "approve"),
    (PROVIDER, "", "TP-LIST", "verify", "publish"),
    (PROVIDER, "", "TP-SLA", "verify", "publish"),
    (RUN_TASK, "", "RT-1", "engage", "complete_step"),
    (RUN_TASK, "", "RT-3", "develop-test", "submit_for_review"),
    (RUN_TASK, "", "RT-2", "review", "approve"),
    (RUN_TASK, "", "RT-4", "review", "approve"),
    (RUN_TASK, "", "RT-5", "release", "publish"),
    (RUN_TASK, "", "RT-6", "release", "publish"),
    (RUN_TASK, "", "RT-7", "release", "publish"),
    (RUN_TASK, "", "RT-8", "release", "publish"),
    (NOMAD, DRIVER, "NO-1", "engage", "complete_step"),
    (NOMAD, DRIVER, "NO-3", "dev-test", "submit_for_review"),
    (NOMAD, DRIVER, "NO-LIC", "dev-test", "submit_for_review"),
    (NOMAD, DRIVER, "NO-GO", "dev-test", "submit_for_review"),
    (NOMAD, "ci-cd", "NO-CODE", "dev-test", "submit_for_review"),
    (NOMAD, DRIVER, "NO-4", "dev-test", "submit_for_review"),
    (NOMAD, DRIVER, "NO-5", "review", "approve"),
    (NOMAD, DRIVER, "NO-6", "review", "approve"),
    (NOMAD, DRIVER, "NO-PR", "review", "approve"),
    (NOMAD, DRIVER, "NO-8-DONE", "release", "publish"),
    (NOMAD, DRIVER, "NO-8", "release", "publish"),
    (NOMAD, DRIVER, "NO-8-LOGO", "release", "publish"),
    (NOMAD, DRIVER, "NO-8-LIST", "release", "publish"),
    (NOMAD, DRIVER, "NO-9", "release", "publish"),
]


def read_page_text(page: Any) -> str:
    return " ".join(parse(page).get_text().split())


def go_to_position_before(row: Integration, position: int, alice: Any, rita: Any, now: datetime) -> Integration:
    """Take an integration to the last position before this one, with everything that this one requires."""
    key = ("go_to_position_before", row.pk, position, alice.pk, rita.pk, now)
    pk = build_or_replay(key, lambda: _go_to_position_before(row, position, alice, rita, now))
    return Integration.objects.get(pk=pk)


def _go_to_position_before(row: Integration, position: int, alice: Any, rita: Any, now: datetime) -> int:
    stage = str(row.edition.positions[position - 1][1])
    row = advance_to_stage(row, stage, partner=alice, reviewer=rita, now=now)
    while row.position < position - 1:
        fulfill_requirements(row, alice, now)
        perform_transition(reload_row(row), "complete_step", actor=alice, now=now)
        row = reload_row(row)
    fulfill_requirements(row, alice, now)
    return row.pk


def complete_round_of_changes(row: Integration, alice: Any, rita: Any, now: datetime) -> Integration:
    """Send a finding, respond to it, request another review, and verify the response."""
    finding = findings.raise_finding(row, row.edition.list_requirements()[0].id, "Add tests.", actor=rita, now=now)
    perform_transition(reload_row(row), "request_changes", actor=rita, now=now)
    findings.answer_finding(finding, "Added.", actor=alice, now=now)
    fulfill_requirements(row, alice, now)
    perform_transition(reload_row(row), "resubmit_for_review", actor=alice, now=now + AFTER_UNDO_PERIOD)
    findings.verify_finding(finding, actor=rita, now=now)
    return reload_row(row)


@pytest.mark.parametrize(
    ("program", "category", "id", "step", "transition"),
    TRANSITION_REQUIREMENTS,
    ids=[f"{each[2]}" for each in TRANSITION_REQUIREMENTS],
)
def test_transition_waits_for_the_requirement(
    acme: Partner,
    alice: Any,
    rita: Any,
    now: datetime,
    program: tuple[str, str],
    category: str,
    id: str,
    step: str,
    transition: str,
) -> None:
    row = create_integration(acme, alice, program[0], category=category or get_edition(*program).categories[0].key)
    requirement = next(r for r in row.edition.list_requirements() if r.id == id)
    assert row.edition_date == program[1]
    row = go_to_position_before(row, row.edition.get_deadline(requirement), alice, rita, now)
    row = complete_round_of_changes(row, alice, rita, now) if requirement.after_findings else row
    row.fulfillments.filter(requirement_id=id).delete()
    actor = rita if transition in ("approve", "publish") else alice
    with pytest.raises(ActionRefused, match=re.escape(requirement.title)) as refusal:
        perform_transition(reload_row(row), transition, actor=actor, now=now + AFTER_UNDO_PERIOD)
    assert (refusal.value.kind, reload_row(row).step) == ("requirements-not-met", step)


@pytest.mark.parametrize("id", ["NO-7", "NO-7-LOGS"])
def test_demo_or_test_logs_are_required(acme: Partner, alice: Any, rita: Any, now: datetime, id: str) -> None:
    row = go_to_position_before(create_integration(acme, alice, category=DRIVER), 4, alice, rita, now)
    row.fulfillments.filter(requirement_id__in=["NO-7", "NO-7-LOGS"]).delete()
    assert {r.id for r in list_missing_at(reload_row(row), 4, now)} == {"NO-7", "NO-7-LOGS"}
    answers.submit_answer(reload_row(row), id, {"met": "in a test"}, actor=None, now=now)
    perform_transition(reload_row(row), "approve", actor=rita, now=now + AFTER_UNDO_PERIOD)
    assert reload_row(row).stage == "release"


def test_mutual_nda_blocks_no_step(integration_at: IntegrationAt) -> None:
    row = integration_at("support")
    assert (row.stage, row.fulfillments.filter(requirement_id="NO-2").exists()) == ("support", False)


@pytest.mark.parametrize("program", GUIDES, ids="@".join)
def test_integration_is_verified_and_listed_after_its_release(
    acme: Partner, alice: Any, rita: Any, client: Client, program: tuple[str, str]
) -> None:
    row = create_integration(acme, alice, program[0])
    page = f"/directory/{row.uuid}/"
    for stage in ("review", "release"):
        row = advance_to_stage(row, stage, partner=alice, reviewer=rita)
        assert (client.get(page).status_code, page in client.get("/directory/").text) == (404, False)
    row = advance_to_stage(row, "support", partner=alice, reviewer=rita)
    assert (row.edition_date, row.listing_status, row.tier) == (program[1], "listed", "verified")
    assert page in client.get("/directory/").text
    assert "<strong>Verified</strong>" in client.get(page).text


@pytest.mark.parametrize(
    ("program", "transition"),
    [(PROVIDER, "downgrade_to_community"), (RUN_TASK, "archive"), (NOMAD, "archive")],
    ids=["terraform-provider", "terraform-run-task", "nomad"],
)
def test_unsupported_integration_is_neither_verified_nor_listed(
    integration_at: IntegrationAt, alice: Any, client: Client, now: datetime, program: tuple[str, str], transition: str
) -> None:
    row = integration_at("support", program=program[0])
    assert transition in {step.name for step in list_available_transitions(row, alice)}
    perform_transition(row, transition, actor=alice, note="We end support.", now=now + AFTER_UNDO_PERIOD)
    page = client.get(f"/directory/{row.uuid}/").text
    assert ("<strong>Verified</strong>" in page, reload_row(row).tier == "verified") == (False, False)
    assert f"/directory/{row.uuid}/" not in client.get("/directory/").text


def test_run_task_page_shows_partners_after_their_release(
    integration_at: IntegrationAt, alice: Any, rita: Any, client: Client, now: datetime
) -> None:
    row = integration_at("release", program="terraform-run-task")
    assert "No run tasks yet" in client.get("/run-tasks/").text
    row = advance_to_stage(row, "support", partner=alice, reviewer=rita)
    answers.submit_answer(row, "RT-6", {"summary": "Scans plans.\nStops bad ones."}, actor=alice, now=now)
    page = client.get("/run-tasks/").text
    assert ("Scans plans.<br>Stops bad ones." in page, f'href="/directory/{row.uuid}/"' in page) == (True, True)


@pytest.mark.parametrize("program", GUIDES, ids="@".join)
def test_page_of_an_integration_names_the_mailbox_for_questions(
    acme: Partner, alice: Any, sign_in: Any, program: tuple[str, str]
) -> None:
    page = sign_in(alice).get(f"/integrations/{create_integration(acme, alice, program[0]).uuid}/")
    assert f"Questions: {get_edition(*program).mailbox}" in read_page_text(page)


def test_listing_of_a_nomad_plugin_links_to_its_download(
    integration_at: IntegrationAt, alice: Any, client: Client, now: datetime
) -> None:
    row = integration_at("support")
    download_url = "https://downloads.acme.example/nomad-driver-rocket.zip"
    answers.submit_answer(row, "NO-8-LIST", {"text": "Runs rockets.", "download": download_url}, actor=alice, now=now)
    links = parse(client.get(f"/directory/{row.uuid}/")).find_all("a", {"href": download_url})
    assert [link["href"] for link in links] == [download_url]


def test_page_of_the_review_meeting_shows_its_agenda(acme: Partner, alice: Any, sign_in: Any) -> None:
    row = create_integration(acme, alice, "terraform-run-task")
    page = sign_in(alice).get(f"/integrations/{row.uuid}/requirements/RT-4/")
    assert (
        "Agenda: Enabled on the partner's platform and on Terraform Cloud; Use case explained; Live demo."
        in read_page_text(page)
    )


def test_badge_of_a_listed_run_task_can_be_embedded(integration_at: IntegrationAt, client: Client) -> None:
    row = integration_at("support", program="terraform-run-task")
    badge = client.get(f"/directory/{row.uuid}/badge.shields.json").json()
    assert (badge["label"], badge["message"]) == ("Terraform Cloud", "Verified")
    codes = read_page_text(client.get(f"/directory/{row.uuid}/badge/"))
    assert f"/directory/{row.uuid}/badge.svg)](" in codes


SUPPORT_CONTACTS = {
    "contact_name": "Sue Support",
    "contact_email": "sue@acme.example",
    "more_contacts": "Pat Pager, on call, pat@acme.example",
    "faq": "Restart the service.",
}


def test_internal_support_documentation_is_read_by_the_program_and_not_by_the_public(
    integration_at: IntegrationAt, alice: Any, rita: Any, sign_in: Any, now: datetime
) -> None:
    row = integration_at("support", program="terraform-run-task")
    answers.submit_answer(row, "RT-7", SUPPORT_CONTACTS, actor=alice, now=now)
    client = sign_in(rita)
    page = read_page_text(client.get(f"/integrations/{row.uuid}/requirements/RT-7/"))
    assert [value for value in SUPPORT_CONTACTS.values() if value not in page] == []
    client.logout()
    page = read_page_text(client.get(f"/directory/{row.uuid}/"))
    assert [value for value in SUPPORT_CONTACTS.values() if value in page] == []


def test_provider_is_published_then_applied_for_then_verified() -> None:
    edition = get_edition(*PROVIDER)
    ids = ("TP-LIC", "TP-PUB", "TP-APPLY", "TP-VERIFY")
    assert [edition.get_deadline(r) for r in edition.list_requirements() if r.id in ids] == [1, 2, 3, 4]


def evaluate_license(program: tuple[str, str], spdx: str) -> str:
    subject = build_subject(PROGRAMS[program[0]], get_edition(*program), "acme/terraform-provider-rocket")
    sources = FakeSources(
        code_answer=build_snapshot({"LICENSE": build_license_text(spdx)}),
        releases_answer=(build_release("v1.2.0"),),
        repository_answer=replace(REPOSITORY, license_spdx=""),
    )
    return str(CHECKS["repository.license"].run(subject, sources).outcome)


@pytest.mark.parametrize(("published_as", "allowed", "manual_review"), LICENSES, ids=[each[0] for each in LICENSES])
def test_license_of_the_published_list_passes_or_needs_manual_review(
    published_as: str, allowed: str, manual_review: str
) -> None:
    known = [spdx for spdx in manual_review.split() if (TEXTS / f"{spdx}.txt").exists()]
    outcomes = {spdx: evaluate_license(PROVIDER, spdx) for spdx in (*allowed.split(), *known)}
    assert outcomes == dict.fromkeys(allowed.split(), "pass") | dict.fromkeys(known, "not_run")
    assert outcomes


@pytest.mark.parametrize(
    ("spdx", "outcome"), [("MPL-2.0", "pass"), ("MIT", "fail"), ("Apache-2.0", "fail"), ("MPL-1.1", "fail")]
)
def test_nomad_integration_passes_only_with_mpl_2(spdx: str, outcome: str) -> None:
    assert evaluate_license(NOMAD, spdx) == outcome
