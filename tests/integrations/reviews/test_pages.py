"""What does a reviewer see and write, and what does the partner see of it?"""

from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.models import Membership, Partner
from integrations.submissions.models import Finding, Integration, ReviewMessage
from integrations.submissions.services import findings
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from tests.conftest import meet

pytestmark = pytest.mark.any_database

SignIn = Any


@pytest.fixture
def moment(time_machine: Any, now: datetime) -> datetime:
    time_machine.move_to(now, tick=False)
    return now


@pytest.fixture
def rocket(at: Any, moment: datetime) -> Integration:
    """Acme's integration in its first review round."""
    return at("review")


def fresh(row: Integration) -> Integration:
    return Integration.objects.get(pk=row.pk)


def get_first_requirement_id(row: Integration) -> str:
    return row.edition.requirements()[0].id


def find(row: Integration, by: User, now: datetime, text: str = "Sign the release.") -> Finding:
    return findings.raise_finding(row, get_first_requirement_id(row), text, actor=by, now=now)


def create_finding(row: Integration, by: User, now: datetime, text: str = "Sign the release.") -> Finding:
    """A finding that the partner has been told."""
    finding = find(row, by, now, text)
    perform_transition(row, "request_changes", actor=by, now=now)
    return finding


def text_of(response: Any, where: str = "main") -> str:
    page = BeautifulSoup(response.content, "html.parser")
    return " ".join(page.select_one(where).get_text(" ").split())


def page(client: Any, row: Integration) -> Any:
    response = client.get(f"/integrations/{row.uuid}/review/")
    assert response.status_code == 200
    return response


# -- the page ------------------------------------------------------------------------------------------------


def test_review_page_shows_every_step_with_its_requirements(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    text = text_of(page(sign_in(rita), rocket))
    for step in rocket.edition.steps:
        assert step.name in text
    for requirement in rocket.edition.requirements():
        if not requirement.categories:
            assert requirement.title in text


def test_evidence_is_shown_under_its_questions(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    requirement = next(r for r in rocket.edition.requirements() if r.fields)
    field = requirement.fields[0]
    answers.submit_answer(rocket, requirement.id, {field.key: "<b>Rockets</b> for all"}, actor=alice, now=moment)
    response = page(sign_in(rita), rocket)
    assert f"{field.label} <b>Rockets</b> for all" in text_of(response)
    assert "<b>Rockets" not in response.content.decode()


def test_what_machines_found_is_shown_with_what_they_saw(
    at: Any, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    row = at("review", program="terraform-provider")
    requirement = next(r for r in row.edition.requirements() if r.responsible_party == "machine")
    detail = [
        {
            "key": "x",
            "title": "License",
            "outcome": "fail",
            "summary": "No license file.",
            "evidence": [{"label": "file", "value": "LICENSE", "url": ""}],
        }
    ]
    answers.record_check_outcome(
        row, requirement.id, outcome="fail", summary="No license.", detail=detail, retry_at=None, now=moment
    )
    text = text_of(page(sign_in(rita), row))
    assert "Failed License No license file. file LICENSE" in text


def test_facts_name_partner_contact_manager_and_repository(
    rocket: Integration, acme: Partner, rita: User, sam: User, sign_in: SignIn
) -> None:
    acme.alliances_manager = sam
    acme.save()
    text = text_of(page(sign_in(rita), rocket), "aside")
    for word in ("Acme", "alice@acme.example", "sam@program.example", "acme/terraform-provider-rocket", "Open Source"):
        assert word in text


def test_action_that_is_not_possible_yet_says_why(
    rocket: Integration, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    find(rocket, rita, moment)
    text = text_of(page(sign_in(rita), rocket), "#actions")
    assert "Approve , not available: Verify all findings first." in text
    assert f"/integrations/{rocket.uuid}/steps/request_changes/" in page(sign_in(rita), rocket).content.decode()


def test_suggested_reviewers_stand_with_their_sentence(
    rocket: Integration, rita: User, rob: User, sign_in: SignIn
) -> None:
    text = text_of(page(sign_in(rita), rocket))
    assert "Rita Reyes Suggested 0 of 8 reviews open" in text
    assert "Rob Roth 0 of 8 reviews open" in text


def test_reviewer_of_the_partner_sees_why_they_cannot_decide(
    rocket: Integration, acme: Partner, rob: User, sign_in: SignIn, moment: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rob, role="viewer", joined_at=moment)
    rocket.messages.create(author=rob, body="private-note", internal=True, at=moment)
    client = sign_in(rob)
    assert client.get(f"/integrations/{rocket.uuid}/review/")["Location"] == f"/integrations/{rocket.uuid}/"
    response = client.get(f"/integrations/{rocket.uuid}/review/", follow=True)
    assert "private-note" not in response.content.decode()
    assert "You are a member of Acme. Another reviewer must decide." in text_of(response)
    for decision in ("approve", "request_changes", "decline", "put_on_hold"):
        assert f"/steps/{decision}/" not in response.content.decode()
    assert "Add finding" not in text_of(response)


def test_staff_who_are_no_reviewers_see_it_without_decisions(rocket: Integration, sam: User, sign_in: SignIn) -> None:
    response = page(sign_in(sam), rocket)
    assert "Only reviewers can decide" in text_of(response)
    assert "/steps/approve/" not in response.content.decode()


@pytest.mark.parametrize("path", ["review/", "findings/?requirement=x", "edition/"])
def test_partners_find_no_review(rocket: Integration, alice: User, sign_in: SignIn, path: str) -> None:
    assert sign_in(alice).get(f"/integrations/{rocket.uuid}/{path}").status_code == 404


def test_decision_that_can_be_undone_is_reported_with_its_moment(
    rocket: Integration, rita: User, rob: User, sign_in: SignIn, moment: datetime
) -> None:
    find(rocket, rita, moment)
    perform_transition(rocket, "request_changes", actor=rita, now=moment)
    assert (
        "You requested changes You can undo this decision until Tue, Apr 14, 9:10 AM UTC . "
        "We send the email after that." in text_of(page(sign_in(rita), rocket))
    )
    assert "Rita Reyes requested changes" in text_of(page(sign_in(rob), rocket))


def test_after_the_window_nothing_is_said_of_undoing(
    rocket: Integration, rita: User, sign_in: SignIn, moment: datetime, time_machine: Any
) -> None:
    find(rocket, rita, moment)
    perform_transition(rocket, "request_changes", actor=rita, now=moment)
    time_machine.move_to(moment + timedelta(minutes=10), tick=False)
    assert "Undo" not in text_of(page(sign_in(rita), rocket))


# -- the last look -------------------------------------------------------------------------------------------


def test_changes_stay_until_they_are_marked_as_seen(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    client = sign_in(rita)
    assert "This is your first visit." in text_of(page(client, rocket), "#changes")
    client.post(f"/integrations/{rocket.uuid}/mark-read/")
    assert "No changes since" in text_of(page(client, rocket), "#changes")
    findings.post_message(rocket, "New key.", actor=alice, now=moment)
    for _ in range(2):
        assert "sent a message to the program Alice Archer" in text_of(page(client, rocket), "#changes")
    client.post(f"/integrations/{rocket.uuid}/mark-read/")
    assert "No changes since" in text_of(page(client, rocket), "#changes")


# -- findings ------------------------------------------------------------------------------------------------


def test_finding_goes_from_open_to_fixed_to_verified(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    client = sign_in(rita)
    form_data = {"requirement": get_first_requirement_id(rocket), "text": "Sign the release."}
    response = client.post(f"/integrations/{rocket.uuid}/findings/", form_data)
    assert response["Location"] == f"/integrations/{rocket.uuid}/review/#finding-1"
    finding = Finding.objects.get(integration=rocket)
    assert (finding.number, finding.text, finding.state) == (1, "Sign the release.", "open")
    perform_transition(fresh(rocket), "request_changes", actor=rita, now=moment)
    response = sign_in(alice).post(f"/findings/{finding.pk}/fix/", {"answer": "Signed in v1.4.2."})
    assert response["Location"] == f"/integrations/{rocket.uuid}/#finding-1"
    finding.refresh_from_db()
    assert (finding.state, finding.answer, finding.resolved_by) == ("resolved", "Signed in v1.4.2.", alice)
    meet(rocket, alice, moment)
    perform_transition(fresh(rocket), "resubmit_for_review", actor=alice, now=moment + timedelta(minutes=11))
    sign_in(rita).post(f"/findings/{finding.pk}/verify/")
    finding.refresh_from_db()
    assert (finding.state, finding.verified_by) == ("verified", rita)
    sign_in(rita).post(f"/findings/{finding.pk}/reopen/")
    finding.refresh_from_db()
    assert finding.state == "open"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Enter the requested change."),
        ("   \n", "Enter the requested change."),
        ("x" * 4001, "at most 4000 characters"),
    ],
)
def test_finding_that_says_nothing_or_too_much_is_shown_as_field_error(
    rocket: Integration, rita: User, sign_in: SignIn, text: str, sentence: str
) -> None:
    response = sign_in(rita).post(
        f"/integrations/{rocket.uuid}/findings/", {"requirement": get_first_requirement_id(rocket), "text": text}
    )
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert not Finding.objects.exists()


def test_finding_that_is_refused_keeps_what_was_entered(
    rocket: Integration, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    perform_transition(rocket, "decline", actor=rita, note="No.", now=moment)
    response = sign_in(rita).post(
        f"/integrations/{rocket.uuid}/findings/",
        {"requirement": get_first_requirement_id(rocket), "text": "Typed with care."},
    )
    assert response.status_code == 422
    assert "You can add findings only during a review." in text_of(response)
    assert "Typed with care." in text_of(response, "textarea")


def test_finding_on_a_requirement_that_does_not_exist_finds_nothing(
    rocket: Integration, rita: User, sign_in: SignIn
) -> None:
    response = sign_in(rita).post(f"/integrations/{rocket.uuid}/findings/", {"requirement": "zzz", "text": "x"})
    assert response.status_code == 404


def test_partner_sees_no_finding_before_changes_are_requested(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    finding = find(rocket, rita, moment, "A secret draft.")
    client = sign_in(alice)
    assert "A secret draft." not in client.get(f"/integrations/{rocket.uuid}/").content.decode()
    assert "A secret draft." not in client.get(f"/integrations/{rocket.uuid}/history/").content.decode()
    assert client.post(f"/findings/{finding.pk}/fix/", {"answer": "x"}).status_code == 404
    perform_transition(rocket, "request_changes", actor=rita, now=moment)
    assert "A secret draft." in client.get(f"/integrations/{rocket.uuid}/").content.decode()


def test_undone_request_takes_the_findings_back(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    create_finding(rocket, rita, moment, "Sign the release.")
    perform_transition(fresh(rocket), "undo_decision", actor=rita, now=moment)
    assert "Sign the release." not in sign_in(alice).get(f"/integrations/{rocket.uuid}/").content.decode()


def test_foreign_partner_finds_no_finding(
    rocket: Integration, charlie: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    finding = create_finding(rocket, rita, moment)
    client = sign_in(charlie)
    assert client.get(f"/findings/{finding.pk}/fix/").status_code == 404
    assert client.post(f"/findings/{finding.pk}/fix/", {"answer": "x"}).status_code == 404
    finding.refresh_from_db()
    assert finding.state == "open"


def test_partner_settles_no_finding(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    finding = create_finding(rocket, rita, moment)
    for what in ("verify", "reopen"):
        assert sign_in(alice).post(f"/findings/{finding.pk}/{what}/").status_code == 404
    finding.refresh_from_db()
    assert finding.state == "open"


def test_answer_of_a_viewer_is_refused_with_the_reason_and_kept(
    rocket: Integration, acme: Partner, charlie: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    finding = create_finding(rocket, rita, moment)
    Membership.objects.create(partner=acme, user=charlie, role="viewer", joined_at=moment)
    response = sign_in(charlie).post(f"/findings/{finding.pk}/fix/", {"answer": "I did it."})
    assert response.status_code == 403
    assert "Only owners and editors of the company can do this." in text_of(response)
    assert "I did it." in text_of(response, "pre")


@pytest.mark.parametrize(("who", "page"), [("rita", "fix"), ("sam", "fix"), ("vera", "fix"), ("vera", "say")])
def test_form_is_not_shown_to_who_may_not_use_it(
    rocket: Integration,
    acme: Partner,
    charlie: User,
    rita: User,
    sam: User,
    sign_in: SignIn,
    moment: datetime,
    who: str,
    page: str,
) -> None:
    finding = create_finding(rocket, rita, moment)
    Membership.objects.create(partner=acme, user=charlie, role="viewer", joined_at=moment)
    address = f"/findings/{finding.pk}/fix/" if page == "fix" else f"/integrations/{rocket.uuid}/messages/"
    response = sign_in({"rita": rita, "sam": sam, "vera": charlie}[who]).get(address)
    assert response.status_code == 403
    assert BeautifulSoup(response.content, "html.parser").select("main form") == []


def test_answering_twice_is_reported(
    rocket: Integration, alice: User, bob: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    finding = create_finding(rocket, rita, moment)
    findings.answer_finding(finding, "Done.", actor=bob, now=moment)
    response = sign_in(alice).post(f"/findings/{finding.pk}/fix/", {"answer": "Also done."})
    assert "Finding 1 is already resolved." in text_of(response)
    finding.refresh_from_db()
    assert finding.answer == "Done."


def test_answer_entered_before_the_sign_in_was_lost_is_found_again(
    rocket: Integration, alice: User, rita: User, client: Any, moment: datetime
) -> None:
    finding = create_finding(rocket, rita, moment)
    response = client.post(f"/findings/{finding.pk}/fix/", {"answer": "Typed for an hour."})
    assert response.status_code == 302
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert "Typed for an hour." in text_of(client.get(f"/findings/{finding.pk}/fix/"), "textarea")


# -- the thread ----------------------------------------------------------------------------------------------


def test_both_sides_write_in_one_thread(rocket: Integration, alice: User, rita: User, sign_in: SignIn) -> None:
    assert (
        sign_in(alice)
        .post(f"/integrations/{rocket.uuid}/messages/", {"body": "We are ready."})["Location"]
        .endswith(f"/integrations/{rocket.uuid}/#thread")
    )
    assert (
        sign_in(rita)
        .post(f"/integrations/{rocket.uuid}/messages/", {"body": "Good."})["Location"]
        .endswith("/review/#thread")
    )
    assert list(ReviewMessage.objects.values_list("body", "internal")) == [("We are ready.", False), ("Good.", False)]
    assert "We are ready." in text_of(page(sign_in(rita), rocket), "#thread")


def test_notes_are_set_apart_and_never_reach_the_partner(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn
) -> None:
    client = sign_in(rita)
    client.post(f"/integrations/{rocket.uuid}/messages/", {"body": "They seem slow.", "internal": "on"})
    element = BeautifulSoup(page(client, rocket).content, "html.parser").select_one("#thread .entry-private")
    assert "They seem slow." in element.text
    assert "Only reviewers see this" in element.text
    client = sign_in(alice)
    for path in ("", "history/"):
        assert "They seem slow." not in client.get(f"/integrations/{rocket.uuid}/{path}").content.decode()


def test_partner_who_asks_for_a_note_writes_a_message(rocket: Integration, alice: User, sign_in: SignIn) -> None:
    sign_in(alice).post(f"/integrations/{rocket.uuid}/messages/", {"body": "Hello.", "internal": "on"})
    assert ReviewMessage.objects.get().internal is False


def test_saying_nothing_is_reported(rocket: Integration, alice: User, sign_in: SignIn) -> None:
    response = sign_in(alice).post(f"/integrations/{rocket.uuid}/messages/", {"body": " "})
    assert response.status_code == 422
    assert "Enter a message." in text_of(response)


def test_foreign_partner_cannot_write(rocket: Integration, charlie: User, sign_in: SignIn) -> None:
    assert sign_in(charlie).post(f"/integrations/{rocket.uuid}/messages/", {"body": "Hi."}).status_code == 404
    assert not ReviewMessage.objects.exists()


def test_html_in_the_thread_is_text(rocket: Integration, alice: User, rita: User, sign_in: SignIn) -> None:
    body = "<script>alert(1)</script> see https://acme.example"
    sign_in(alice).post(f"/integrations/{rocket.uuid}/messages/", {"body": body})
    html = page(sign_in(rita), rocket).content.decode()
    assert "<script>alert" not in html
    assert '<a href="https://acme.example" rel="nofollow">https://acme.example</a>' in html
