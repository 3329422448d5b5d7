"""Tests of claims in the review queue, and of who can claim a review."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from integrations.partners.models import ConflictOfInterest, Membership, Partner, VerificationState
from integrations.reviews.selectors import queue_items
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.integrations.page_text import get_text
from tests.integrations.reviews.conftest import create_integration_in_review
from tests.integrations.reviews.queue_page import get_row_text, list_names

pytestmark = pytest.mark.any_database

SignIn = Any


def test_queue_shows_reviewer_and_claim_expiry(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    claims.claim_review(Integration.objects.get(name="Scan"), actor=rita, now=frozen_now)
    claims.claim_review(Integration.objects.get(name="Rocket"), actor=rob, now=frozen_now)
    claims.assign_reviewer(Integration.objects.get(name="Vaulted"), rita, actor=rita, now=frozen_now)
    response = sign_in(rita).get("/queue/")
    assert "Claimed by you until 9:30 AM UTC" in get_row_text(response, "Scan")
    assert "Rob Roth until 9:30 AM" in get_row_text(response, "Rocket")
    assert "Assigned to you Claim review Vaulted" in get_row_text(response, "Vaulted")
    time_machine.move_to(frozen_now + timedelta(minutes=30), tick=False)
    response = sign_in(rita).get("/queue/")
    assert "Assigned to you (claim expired) Claim review Scan" in get_row_text(response, "Scan")
    assert "Unclaimed (claim by Rob Roth expired) Claim review Rocket" in get_row_text(response, "Rocket")


@pytest.mark.every_database
def test_reviewers_of_some_programs_see_only_their_unclaimed_items(
    three_reviews: None, globex: Partner, rob: User, sign_in: SignIn
) -> None:
    Partner.objects.filter(pk=globex.pk).update(verification_state=VerificationState.NEEDS_DECISION)
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:vault"])
    assert sorted(list_names(sign_in(rob).get("/queue/?tab=free"))) == ["Globex", "Vaulted"]
    assert sorted(list_names(sign_in(rob).get("/queue/"))) == ["Globex", "Rocket", "Scan", "Vaulted"]
    # Managers assign the reviews of their programs.
    User.objects.filter(pk=rob.pk).update(program_roles=["manager:nomad", "reviewer:vault"])
    assert sorted(list_names(sign_in(rob).get("/queue/?tab=free"))) == ["Globex", "Rocket", "Scan", "Vaulted"]


def test_review_page_shows_the_claim_of_someone_who_lost_the_program_as_unclaimed(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = Integration.objects.get(name="Scan")
    claims.claim_review(row, actor=rob, now=frozen_now)
    address = reverse("reviews:review", args=[row.uuid])
    assert get_text(sign_in(rita).get(address), "#claim p").startswith("Claimed by Rob Roth")
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:vault"])
    assert get_text(sign_in(rita).get(address), "#claim p") == "Unclaimed"


def test_review_page_offers_a_claim_when_no_one_else_has_it(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    row = Integration.objects.get(name="Scan")
    claims.claim_review(row, actor=rob, now=frozen_now)
    address = reverse("reviews:review", args=[row.uuid])
    assert "Claim review" not in get_text(sign_in(rita).get(address), "#claim")
    time_machine.move_to(frozen_now + timedelta(minutes=31), tick=False)
    assert "Claim review" in get_text(sign_in(rita).get(address), "#claim")


def test_claiming_opens_the_review(three_reviews: None, rita: User, sign_in: SignIn, frozen_now: datetime) -> None:
    row = Integration.objects.get(name="Scan")
    response = sign_in(rita).post(f"/integrations/{row.uuid}/claim/")
    assert response["Location"] == reverse("reviews:review", args=[row.uuid])
    row = Integration.objects.get(pk=row.pk)
    assert (row.reviewer, row.claim_expires_at) == (rita, frozen_now + timedelta(minutes=30))


@pytest.mark.every_database
def test_second_claim_is_refused_and_filters_are_retained(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = Integration.objects.get(name="Scan")
    claims.claim_review(row, actor=rob, now=frozen_now)
    response = sign_in(rita).post(
        f"/integrations/{row.uuid}/claim/", {"queue_query": "tab=free&program=nomad"}, follow=True
    )
    assert response.redirect_chain == [("/queue/?tab=free&program=nomad", 302)]
    assert "Rob Roth claimed this review until 9:30 AM UTC." in response.content.decode()
    assert Integration.objects.get(pk=row.pk).reviewer == rob


def test_open_page_renews_claim_and_shows_its_loss(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    row = Integration.objects.get(name="Scan")
    claims.claim_review(row, actor=rita, now=frozen_now)
    time_machine.move_to(frozen_now + timedelta(minutes=20), tick=False)
    assert "Claimed by you until" in sign_in(rita).post(f"/integrations/{row.uuid}/claim/renew/").content.decode()
    assert Integration.objects.get(pk=row.pk).claim_expires_at == frozen_now + timedelta(minutes=50)
    time_machine.move_to(frozen_now + timedelta(minutes=60), tick=False)
    claims.claim_review(row, actor=rob, now=frozen_now + timedelta(minutes=60))
    assert "Claimed by Rob Roth until" in sign_in(rita).post(f"/integrations/{row.uuid}/claim/renew/").content.decode()
    assert Integration.objects.get(pk=row.pk).reviewer == rob


def test_releasing_claim_unassigns_reviewer(
    three_reviews: None, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = Integration.objects.get(name="Scan")
    claims.claim_review(row, actor=rita, now=frozen_now)
    assert sign_in(rita).post(f"/integrations/{row.uuid}/claim/release/").status_code == 302
    row = Integration.objects.get(pk=row.pk)
    assert (row.reviewer, row.claim_expires_at) == (None, None)


@pytest.mark.every_database
def test_reviewer_of_the_partner_is_offered_no_claim(
    three_reviews: None, acme: Partner, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="viewer", joined_at=frozen_now)
    client = sign_in(rita)
    row = Integration.objects.get(name="Rocket")
    assert get_row_text(client.get("/queue/"), "Rocket").count("Your company") == 1
    assert "Claim review Rocket" not in get_row_text(client.get("/queue/"), "Rocket")
    response = client.post(f"/integrations/{row.uuid}/claim/", follow=True)
    assert "own company" in response.content.decode()
    assert Integration.objects.get(pk=row.pk).reviewer is None


def test_staff_see_the_queue_without_claims(three_reviews: None, sam: User, sign_in: SignIn) -> None:
    response = sign_in(sam).get("/queue/")
    assert len(list_names(response)) == 3
    assert "Claim" not in get_row_text(response, "Scan")


@pytest.mark.parametrize("address", ["/queue/", "/queue/profile/"])
def test_partners_have_no_queue(alice: User, sign_in: SignIn, address: str) -> None:
    assert sign_in(alice).get(address).status_code == 404


@pytest.mark.parametrize("what", ["claim", "claim/renew", "claim/release", "assign", "mark-read"])
def test_partners_cannot_use_queue_buttons(rocket: Integration, alice: User, sign_in: SignIn, what: str) -> None:
    assert sign_in(alice).post(f"/integrations/{rocket.uuid}/{what}/").status_code == 404


def test_opening_a_button_url_leads_to_the_review(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    for what in ("claim", "claim/renew", "claim/release", "mark-read"):
        response = sign_in(rita).get(f"/integrations/{rocket.uuid}/{what}/")
        assert response["Location"] == f"/integrations/{rocket.uuid}/review/"


@pytest.mark.every_database
def test_unclaimed_reviews_are_those_that_the_reader_can_claim(
    acme: Partner,
    globex: Partner,
    alice: User,
    charlie: User,
    rita: User,
    rob: User,
    sign_in: SignIn,
    frozen_now: datetime,
) -> None:
    create_integration_in_review(acme, alice, rita, frozen_now, name="Rocket")
    create_integration_in_review(globex, charlie, rita, frozen_now, name="Scan")
    ConflictOfInterest.objects.create(partner=acme, user=rob, kind="marked", recorded_at=frozen_now)
    client = sign_in(rob)
    assert list_names(client.get("/queue/?tab=all")) == ["Rocket", "Scan"]
    assert list_names(client.get("/queue/?tab=free")) == ["Scan"]
    assert queue_items.summarize_queue({}, User.objects.get(pk=rob.pk), frozen_now).count("", "free") == 1
