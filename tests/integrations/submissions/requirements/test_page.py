"""Tests of access to requirement pages."""

import pytest

from tests.conftest import begin
from tests.integrations.submissions.requirements.pages import every_requirement, place, read

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize("who", ["alice", "rita", "sam"])
@pytest.mark.parametrize("program", ["nomad", "terraform-run-task", "terraform-provider", "vault", "consul-nia"])
def test_every_requirement_has_its_page(acme, alice, sign_in, request, who, program):
    row = begin(acme, alice, program)
    client = sign_in(request.getfixturevalue(who))
    answers_of = {id: client.get(place(row, id)) for id in every_requirement(row)}
    assert {id: answer.status_code for id, answer in answers_of.items()} == dict.fromkeys(answers_of, 200)
    titles = {r.id: r.title for r in row.edition.requirements()}
    assert [id for id, answer in answers_of.items() if titles[id] not in read(answer)] == []


def test_foreign_page(rocket, charlie, sign_in):
    assert sign_in(charlie).get(place(rocket)).status_code == 404


def test_unknown_requirement(rocket, alice, sign_in):
    assert sign_in(alice).get(place(rocket, "NO-99")).status_code == 404


def test_viewer_is_offered_nothing(rocket, acme, alice, bob, sign_in):
    bob.memberships.update(role="viewer")
    client = sign_in(bob)
    offered_ids = [
        id for id in every_requirement(rocket) if 'name="act"' in client.get(place(rocket, id)).content.decode()
    ]
    assert offered_ids == []


def test_button_of_another_kind(rocket, alice, sign_in):
    answer = sign_in(alice).post(place(rocket), {"act": "reveal"}, follow=True)
    assert "This action is no longer available." in read(answer)


def test_what_the_machine_does_is_never_skipped(rocket, alice, sign_in):
    looked_at = next(r.id for r in rocket.edition.requirements() if r.responsible_party == "machine" and r.optional)
    page = sign_in(alice).get(place(rocket, looked_at))
    assert (page.status_code, 'value="not_needed"' in page.text) == (200, False)
