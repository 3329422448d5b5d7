"""Tests of access to requirement pages."""

from datetime import timedelta

import pytest
from django.urls import reverse

from integrations.submissions.services import meetings, requirements
from integrations.submissions.services.meetings import MeetingProposal
from tests.conftest import create_integration, create_user
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_state, get_url, list_requirement_ids, submit_action

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize("who", ["alice", "rita", "sam"])
@pytest.mark.parametrize("program", ["nomad", "terraform-run-task", "terraform-provider", "vault", "consul-nia"])
def test_every_requirement_has_its_page(acme, alice, sign_in, request, who, program):
    row = create_integration(acme, alice, program)
    client = sign_in(request.getfixturevalue(who))
    responses_by_id = {id: client.get(get_url(row, id)) for id in list_requirement_ids(row)}
    assert {id: response.status_code for id, response in responses_by_id.items()} == dict.fromkeys(responses_by_id, 200)
    titles = {r.id: r.title for r in row.edition.list_requirements()}
    assert [id for id, response in responses_by_id.items() if titles[id] not in get_text(response)] == []


def test_page_of_another_partner_is_not_found(rocket, charlie, sign_in):
    assert sign_in(charlie).get(get_url(rocket)).status_code == 404


def test_unknown_requirement_is_not_found(rocket, alice, sign_in):
    assert sign_in(alice).get(get_url(rocket, "NO-99")).status_code == 404


def test_viewer_sees_no_actions(rocket, acme, alice, bob, sign_in):
    bob.memberships.update(role="viewer")
    client = sign_in(bob)
    offered_ids = [
        id for id in list_requirement_ids(rocket) if 'name="action"' in client.get(get_url(rocket, id)).content.decode()
    ]
    assert offered_ids == []


def test_only_editors_and_the_program_are_offered_a_check_run(rocket, alice, bob, rita, sign_in):
    bob.memberships.update(role="viewer")
    auditor = create_user("audrey@program.example", "Audrey Ames", is_auditor=True)
    run_url = reverse("checks:run", args=[rocket.uuid])
    offers = [
        run_url in sign_in(person).get(get_url(rocket, "NO-8-CHECK")).text for person in (alice, rita, bob, auditor)
    ]
    assert offers == [True, True, False, False]


def test_only_editors_are_offered_to_connect_github(rocket, alice, bob, rita, sign_in, now):
    detail = [{"key": "release.download", "title": "", "summary": "", "outcome": "not_run", "needs_access": True}]
    requirements.record_check_outcome(
        rocket, "NO-8-CHECK", outcome="not_run", summary="", detail=detail, retry_at=None, now=now
    )
    bob.memberships.update(role="viewer")
    offers = ["Connect GitHub</" in get_body(sign_in(person), rocket) for person in (alice, rita, bob)]
    assert offers == [True, False, False]


def get_body(client, row):
    return client.get(get_url(row, "NO-8-CHECK")).text


def test_viewer_reads_whom_a_requirement_waits_for(rocket, alice, bob, rita, sign_in, now):
    times = MeetingProposal((now + timedelta(days=1),), "", 45)
    meetings.propose_times(rocket, "NO-7", times, actor=rita, now=now)
    bob.memberships.update(role="viewer")
    page = {person: get_text(sign_in(person).get(get_url(rocket, "NO-7"))) for person in (alice, bob)}
    assert ["Waiting for you" in page[alice], "Waiting for you" in page[bob]] == [True, False]
    assert "Waiting for Acme" in page[bob]


def test_action_of_another_kind_is_refused(rocket, alice, sign_in):
    answer = sign_in(alice).post(get_url(rocket), {"action": "reveal"}, follow=True)
    assert "This action is no longer available." in get_text(answer)


def test_automated_requirement_cannot_be_skipped(rocket, alice, sign_in):
    checked_requirement_id = next(
        r.id
        for r in rocket.edition.list_requirements()
        if r.responsible_party == "portal" and r.optional and not r.categories
    )
    client = sign_in(alice)
    page = client.get(get_url(rocket, checked_requirement_id))
    assert (page.status_code, 'value="not_needed"' in page.text) == (200, False)
    response = submit_action(client, rocket, checked_requirement_id, "not_needed")
    assert (response.status_code, get_state(rocket, checked_requirement_id)) == (409, None)


@pytest.mark.usefixtures("edition_2026")
def test_requirement_of_a_step_and_a_tier_is_required_for_the_step(acme, alice, sign_in):
    row = create_integration(acme, alice, "terraform-provider")
    client = sign_in(alice)
    assert "Required for Verify" in get_text(client.get(get_url(row, "TP-FRAME")))
    assert "Required for Tier Partner Premier" in get_text(client.get(get_url(row, "TP-SBOM")))
