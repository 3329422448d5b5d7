"""Tests of decisions on companies whose name looks like another one."""

from collections.abc import Callable
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.partners.name_validation import generate_slug
from integrations.partners.services import profiles, verification
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from portal.directory.models import Listing
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration, fulfill_requirements
from tests.integrations.page_text import find_text, parse
from tests.integrations.partners.memberships import list_partner_events
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Client]


@pytest.fixture
@replay_fixture
def imitation(erin: Any, rita: Any, now: datetime) -> Partner:
    """A company whose owner has an address at its domain, and a name that needs a decision."""
    return profiles.create_partner("HashiCorp Partners", domain="initech.example", actor=erin, now=now)


def get_state(partner: Partner) -> str:
    return Partner.objects.get(pk=partner.pk).verification_state


def list_emails() -> list[tuple[str, str, str]]:
    return list(EmailMessage.objects.order_by("pk").values_list("name", "to", "subject"))


@pytest.mark.every_database
def test_reviewers_are_asked_to_decide(sign_in: SignIn, imitation: Partner, globex: Partner, rita: Any) -> None:
    subject = "Decision required: HashiCorp Partners"
    assert list_emails() == [("company_decision_requested", rita.email, subject)]
    page = sign_in(rita).get("/companies/")
    assert find_text(page, "tbody tr").startswith("HashiCorp Partners Needs a decision")
    page = sign_in(rita).get("/companies/company/")
    assert "The name looks like the reserved name “hashicorp”." in find_text(page)


def test_page_does_not_call_a_company_that_needs_a_decision_verified(
    sign_in: SignIn, imitation: Partner, erin: Any
) -> None:
    imitation.verifications.all().delete()
    page = sign_in(erin).post(f"/company/{imitation.slug}/verification/", {"action": "email"}, follow=True)
    assert [proof.method for proof in imitation.verifications.all()] == ["email"]
    words = find_text(page)
    assert "Proof saved. HashiCorp Partners still needs a decision on its name." in words
    assert "HashiCorp Partners is verified." not in words


@pytest.mark.every_database
def test_proof_does_not_replace_the_decision(imitation: Partner, erin: Any, rita: Any, now: datetime) -> None:
    assert [proof.method for proof in imitation.verifications.all()] == ["email"]
    assert get_state(imitation) == "needs_decision"
    profiles.approve_partner(imitation, "Run by our own team.", actor=rita, now=now)
    assert get_state(imitation) == "verified"
    assert list_emails()[-1] == ("company_approved", erin.email, "Approved: HashiCorp Partners")
    assert list_partner_events(imitation) == [
        ("partner.created", "Erin Eads"),
        ("partner.decision_requested", "Erin Eads"),
        ("partner.verified", "Erin Eads"),
        ("partner.approved", "Rita Reyes"),
    ]


def test_approved_company_without_a_proof_is_unverified(erin: Any, rita: Any, now: datetime) -> None:
    partner = profiles.create_partner("Vault", actor=erin, now=now)
    profiles.approve_partner(partner, "An older company.", actor=rita, now=now)
    assert get_state(partner) == "unverified"
    assert "Action required: Verify your company." in EmailMessage.objects.get(name="company_approved").text


def test_rejected_company_stays_hidden_under_every_name(
    sign_in: SignIn, imitation: Partner, erin: Any, rita: Any, now: datetime
) -> None:
    profiles.reject_partner(imitation, "Not ours.", actor=rita, now=now)
    assert get_state(imitation) == "rejected"
    assert list_emails()[-1] == ("company_rejected", erin.email, "Rejected: HashiCorp Partners")
    assert "Rejected company" in find_text(sign_in(erin).get("/company/company/"))
    assert "Not ours." in find_text(sign_in(erin).get("/company/company/verification/"))
    with pytest.raises(ActionRefused, match="rejected this company"):
        verification.verify_by_email(imitation, actor=erin, now=now)
    for name in ("Honest Rockets", "Honest Boosters"):
        profiles.change_profile(imitation, name=name, website="", actor=erin, now=now)
        assert get_state(imitation) == "needs_decision"
    profiles.approve_partner(imitation, "Fine now.", actor=rita, now=now)
    assert get_state(imitation) == "verified"


def test_rename_to_a_legitimate_name_needs_no_decision(imitation: Partner, erin: Any, now: datetime) -> None:
    profiles.change_profile(imitation, name="Honest Rockets", website="", actor=erin, now=now)
    assert get_state(imitation) == "verified"
    assert imitation.slug == "company"  # public pages keep this address


def test_slug_is_not_a_path_segment_of_other_pages(db: None) -> None:
    assert [generate_slug(name) for name in ("Join", "Program")] == ["join-2", "program-2"]


@pytest.mark.every_database
def test_approved_name_can_be_used_again(imitation: Partner, erin: Any, rita: Any, now: datetime) -> None:
    profiles.approve_partner(imitation, "Fine.", actor=rita, now=now)
    for name, state in (
        ("Honest Rockets", "verified"),
        ("Terraform Friends", "needs_decision"),
        ("HashiCorp Partners", "verified"),
    ):
        profiles.change_profile(imitation, name=name, website="", actor=erin, now=now)
        assert get_state(imitation) == state


@pytest.mark.every_database
def test_listed_company_that_takes_a_reserved_name_is_hidden_at_once(
    integration_at: Callable[..., Integration], client: Client, alice: Any, rita: Any, now: datetime
) -> None:
    row = integration_at("support")
    address = reverse("directory:listing", args=[row.uuid])
    assert client.get(address).status_code == 200
    profiles.change_profile(row.partner, name="Nomad Cloud", website="", actor=alice, now=now)
    assert client.get(address).status_code == 404
    assert Listing.objects.count() == 0
    profiles.change_profile(row.partner, name="Acme", website="", actor=alice, now=now)
    assert client.get(address).status_code == 200
    assert "Nomad Cloud" not in client.get(address).text + client.get("/feeds/directory.json").text
    call_command("rebuild_directory", "--check", stdout=StringIO())


@pytest.mark.parametrize(
    ("decide", "party", "action", "message"),
    [
        (False, "program", "Decide on the name of the partner", "A reviewer must approve the name"),
        (True, "partner", "Change the name of your company", "The program rejected the company."),
    ],
)
def test_company_without_an_approval_cannot_request_a_review(
    imitation: Partner, erin: Any, rita: Any, now: datetime, decide: bool, party: str, action: str, message: str
) -> None:
    row = create_integration(imitation, erin, "consul", now)
    if decide:
        profiles.reject_partner(imitation, "No.", actor=rita, now=now)
    for _ in range(12):
        row = Integration.objects.get(pk=row.pk)
        fulfill_requirements(row, erin, now)
        row = Integration.objects.get(pk=row.pk)
        if row.next_position[1] == "review":
            break
        perform_transition(row, "complete_step", actor=erin, now=now)
    assert (row.responsible_party, row.next_action_label) == (party, action)
    with pytest.raises(ActionRefused) as refusal:
        perform_transition(row, "submit_for_review", actor=erin, now=now)
    assert message in str(refusal.value)
    profiles.approve_partner(imitation, "Fine.", actor=rita, now=now)
    perform_transition(row, "submit_for_review", actor=erin, now=now)


@pytest.mark.parametrize("decide", [profiles.approve_partner, profiles.reject_partner])
@pytest.mark.parametrize("who", ["erin", "sam", "charlie"])
def test_only_reviewers_decide_with_a_reason(
    imitation: Partner, rita: Any, now: datetime, who: str, decide: Callable[..., None], request: Any
) -> None:
    with pytest.raises(ActionRefused, match="Only reviewers"):
        decide(imitation, "Me.", actor=request.getfixturevalue(who), now=now)
    with pytest.raises(ActionRefused, match="Enter a reason"):
        decide(imitation, " ", actor=rita, now=now)


@pytest.mark.every_database
def test_second_decision_is_refused(imitation: Partner, rita: Any, now: datetime) -> None:
    profiles.reject_partner(imitation, "No.", actor=rita, now=now)
    with pytest.raises(ActionRefused, match="already rejected"):
        profiles.reject_partner(imitation, "No.", actor=rita, now=now)
    profiles.approve_partner(imitation, "Yes.", actor=rita, now=now)
    with pytest.raises(ActionRefused, match="doesn't need a decision"):
        profiles.approve_partner(imitation, "Yes.", actor=rita, now=now)


@pytest.mark.parametrize(("action", "state"), [("approve", "verified"), ("reject", "rejected")])
def test_reviewer_decides_on_the_page(sign_in: SignIn, imitation: Partner, rita: Any, action: str, state: str) -> None:
    client = sign_in(rita)
    address = "/companies/company/decision/"
    fields = {"action": action, "name": imitation.name, "note": "Checked."}
    assert "Decision recorded." in find_text(client.post(address, fields, follow=True))
    assert get_state(imitation) == state


@pytest.mark.parametrize("action", ["approve", "reject"])
def test_decision_is_about_the_name_that_the_reviewer_read(
    sign_in: SignIn, imitation: Partner, erin: Any, rita: Any, now: datetime, action: str
) -> None:
    """Otherwise, an owner could change the name just before the reviewer presses the button."""
    client = sign_in(rita)
    page = client.get("/companies/company/")
    name = parse(page).select_one(f"form:has([value={action}]) [name=name]")
    profiles.change_profile(imitation, name="Terraform Labs", actor=erin, now=now)
    fields = {"action": action, "name": name["value"] if name else "", "note": "Run by our own team."}
    answer = client.post("/companies/company/decision/", fields)
    assert answer.status_code == 422
    assert "The name is now “Terraform Labs”." in find_text(answer)
    imitation.refresh_from_db()
    assert (imitation.verification_state, imitation.approved_name) == ("needs_decision", "")


def test_reason_survives_a_lost_session(client: Client, imitation: Partner, rita: Any) -> None:
    address = "/companies/company/decision/"
    client.post(address, {"action": "reject", "name": imitation.name, "note": "We don't know them."})
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(address)
    assert find_text(page, "textarea") == "We don't know them."
    assert [field["value"] for field in parse(page).select("[name=name]")] == [imitation.name]
    assert (find_text(page, "h1"), get_state(imitation)) == ("Reject partner", "needs_decision")
    assert client.get(address).headers["Location"] == "/companies/company/"
