"""Tests of the review page."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from integrations.partners.models import Membership, Partner
from integrations.submissions.models import Integration
from integrations.submissions.services import findings, requirements as answers
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.demo.answers import SAMPLE_FILES
from tests.conftest import fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.reviews.pages.review_pages import SignIn, add_finding, get_review_page

MAX_QUERIES = 12
pytestmark = pytest.mark.any_database


def test_review_page_shows_every_step_with_its_requirements(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    text = get_text(get_review_page(sign_in(rita), rocket))
    for step in rocket.edition.steps:
        assert step.name in text
    for requirement in rocket.edition.list_requirements():
        if not requirement.categories:
            assert requirement.title in text


def test_evidence_is_shown_under_its_questions(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    requirement = next(r for r in rocket.edition.list_requirements() if r.fields)
    field = requirement.fields[0]
    answers.submit_answer(rocket, requirement.id, {field.key: "<b>Rockets</b> for all"}, actor=alice, now=frozen_now)
    response = get_review_page(sign_in(rita), rocket)
    assert f"{field.label} <b>Rockets</b> for all" in get_text(response)
    assert "<b>Rockets" not in response.content.decode()


def test_check_results_are_shown_with_evidence(
    integration_at: Any, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review", program="terraform-provider")
    requirement = next(r for r in row.edition.list_requirements() if r.responsible_party == "portal")
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
        row, requirement.id, outcome="fail", summary="No license.", detail=detail, retry_at=None, now=frozen_now
    )
    text = get_text(get_review_page(sign_in(rita), row))
    assert "Failed License No license file. file LICENSE" in text


def test_facts_name_partner_contact_manager_and_repository(
    rocket: Integration, acme: Partner, rita: User, sam: User, sign_in: SignIn
) -> None:
    acme.alliances_manager = sam
    acme.save()
    text = get_text(get_review_page(sign_in(rita), rocket), "aside")
    for word in ("Acme", "alice@acme.example", "sam@program.example", "acme/terraform-provider-rocket", "Open Source"):
        assert word in text


def test_unavailable_action_shows_its_reason(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    add_finding(rocket, rita, frozen_now)
    text = get_text(get_review_page(sign_in(rita), rocket), "#actions")
    assert "Approve , not available: Verify all findings first." in text
    assert (
        f"/integrations/{rocket.uuid}/transitions/request_changes/"
        in get_review_page(sign_in(rita), rocket).content.decode()
    )


def test_suggested_reviewers_are_shown_with_reason(rocket: Integration, rita: User, rob: User, sign_in: SignIn) -> None:
    client = sign_in(rita)
    url = f"/integrations/{rocket.uuid}/assign/"
    assert f'href="{url}"' in get_review_page(client, rocket).text
    text = get_text(client.get(url))
    assert "Rita Reyes Suggested 0 of 8 reviews open" in text
    assert "Rob Roth 0 of 8 reviews open" in text


@pytest.mark.parametrize("program", ["nomad", "terraform-provider"])
def test_second_round_is_shown_with_few_queries(
    integration_at: Callable[..., Integration],
    alice: User,
    rita: User,
    sign_in: SignIn,
    frozen_now: datetime,
    django_assert_max_num_queries: Any,
    program: str,
) -> None:
    row = integration_at("review", program=program)
    sign_in(rita).post(f"/integrations/{row.uuid}/mark-read/")
    finding = add_finding(row, rita, frozen_now)
    perform_transition(reload_row(row), "request_changes", actor=rita, now=frozen_now)
    findings.answer_finding(finding, "Done.", actor=alice, now=frozen_now)
    findings.post_message(row, "We are ready.", actor=alice, now=frozen_now)
    document = next(each for each in row.edition.list_requirements() if each.kind == "document")
    file = SimpleUploadedFile(*SAMPLE_FILES[document.accept[0]])
    sign_in(alice).post(f"/integrations/{row.uuid}/requirements/{document.id}/", {"action": "upload", "file": file})
    fulfill_requirements(row, alice, frozen_now)
    perform_transition(reload_row(row), "resubmit_for_review", actor=alice, now=frozen_now + timedelta(minutes=11))
    client = sign_in(rita)
    with django_assert_max_num_queries(MAX_QUERIES):
        response = get_review_page(client, row)
    assert (response.context["comparison"]["round"], row.partner.documents.count()) == (1, 1)


def test_reviewer_of_the_partner_sees_why_they_cannot_decide(
    rocket: Integration, acme: Partner, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rob, role="viewer", joined_at=frozen_now)
    rocket.messages.create(author=rob, body="private-note", internal=True, at=frozen_now)
    client = sign_in(rob)
    assert client.get(f"/integrations/{rocket.uuid}/review/")["Location"] == f"/integrations/{rocket.uuid}/"
    response = client.get(f"/integrations/{rocket.uuid}/review/", follow=True)
    assert "private-note" not in response.content.decode()
    assert "You are a member of Acme. Another reviewer must decide." in get_text(response)
    for decision in ("approve", "request_changes", "decline", "put_on_hold"):
        assert f"/transitions/{decision}/" not in response.content.decode()
    assert "Add finding" not in get_text(response)


def test_staff_without_the_reviewer_role_see_no_decisions(rocket: Integration, sam: User, sign_in: SignIn) -> None:
    response = get_review_page(sign_in(sam), rocket)
    assert "Only reviewers can decide" in get_text(response)
    assert "/transitions/approve/" not in response.content.decode()


@pytest.mark.parametrize("path", ["review/", "findings/?requirement=x", "edition/"])
def test_review_pages_are_not_found_for_partners(rocket: Integration, alice: User, sign_in: SignIn, path: str) -> None:
    assert sign_in(alice).get(f"/integrations/{rocket.uuid}/{path}").status_code == 404


def test_undo_is_hidden_after_the_undo_period(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    add_finding(rocket, rita, frozen_now)
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    time_machine.move_to(frozen_now + timedelta(minutes=10), tick=False)
    assert "Undo" not in get_text(get_review_page(sign_in(rita), rocket))


def test_changes_stay_until_they_are_marked_as_read(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    assert "This is your first visit." in get_text(get_review_page(client, rocket), "#changes")
    client.post(f"/integrations/{rocket.uuid}/mark-read/")
    assert "No changes since" in get_text(get_review_page(client, rocket), "#changes")
    findings.post_message(rocket, "New key.", actor=alice, now=frozen_now)
    for _ in range(2):
        assert "Sent a message to the program Alice Archer" in get_text(get_review_page(client, rocket), "#changes")
    client.post(f"/integrations/{rocket.uuid}/mark-read/")
    assert "No changes since" in get_text(get_review_page(client, rocket), "#changes")
