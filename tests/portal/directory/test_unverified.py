"""Tests that the public sees nothing of a company that is not verified."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from integrations.partners.models import Partner, PartnerVerification, VerificationState
from integrations.partners.services import verification
from integrations.submissions.models import Integration
from integrations.submissions.services import partner_merges
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from portal.core.errors import ActionRefused
from portal.directory import services
from portal.directory.models import Listing, ListingChange
from portal.search.indexing import index_partners
from tests.conftest import fulfill_requirements
from tests.integrations.page_text import find_text

pytestmark = pytest.mark.any_database

OWN_PAGES = (
    "listing",
    "logo",
    "badge",
    "badge_svg",
    "badge_json",
    "badge_shields",
    "badge_statement",
    "badge_statement_compact",
)
LIST_ADDRESSES = (
    "/directory/",
    "/directory/?listing_status=any&q=rocket",
    "/directory/?partner=acme",
    "/run-tasks/",
    "/feeds/directory.atom",
    "/feeds/directory.json",
    "/sitemap-listings.xml",
    "/sitemap-partners.xml",
    "/api/v1/directory",
    "/",
)


def set_state(partner: Partner, state: VerificationState, now: datetime) -> None:
    """Give a company another state, without the event of a decision."""
    partner.verifications.all().delete()
    partner.verification_state = state
    partner.save()
    services.refresh_partner_listings(partner, now)


def remove_proofs() -> None:
    """Make every company unverified without updating derived data."""
    PartnerVerification.objects.all().delete()
    Partner.objects.update(verification_state=VerificationState.UNVERIFIED)


def list_addresses(row: Integration) -> list[str]:
    own = [reverse(f"directory:{name}", args=[row.uuid]) for name in OWN_PAGES]
    return [*own, "/partners/acme/", f"/api/v1/directory/{row.uuid}"]


def get_statuses(client: Client, row: Integration) -> set[int]:
    return {client.get(address).status_code for address in list_addresses(row) if "/logo/" not in address}


def find_leaks(client: Client, row: Integration) -> list[str]:
    """Return the addresses whose pages name the integration or its company."""
    pages = {address: client.get(address) for address in (*LIST_ADDRESSES, *list_addresses(row))}
    shown = {address: page.text for address, page in pages.items() if page.status_code != 404}
    return [
        address for address, text in shown.items() if any(word in text for word in (str(row.uuid), "Rocket", "Acme"))
    ]


@pytest.mark.parametrize("state", [state for state in VerificationState if state != "verified"])
def test_listing_of_an_unverified_company_is_on_no_public_page(
    integration_at: Callable[..., Integration], client: Client, now: datetime, rita: Any, state: VerificationState
) -> None:
    row = integration_at("support", "terraform-run-task")
    assert get_statuses(client, row) == {200}
    set_state(row.partner, state, now)
    assert get_statuses(client, row) == {404}
    assert find_leaks(client, row) == []
    assert (Listing.objects.count(), ListingChange.objects.count(), Listing.all_objects.count()) == (0, 0, 1)


@pytest.mark.every_database
def test_listing_returns_when_the_company_is_verified(
    integration_at: Callable[..., Integration], client: Client, now: datetime, rita: Any
) -> None:
    row = integration_at("support")
    set_state(row.partner, VerificationState.UNVERIFIED, now)
    verification.verify_by_decision(row.partner, "Known company.", actor=rita, now=now)
    assert get_statuses(client, row) == {200}
    assert services.find_drift(Integration.objects.get(pk=row.pk), Listing.objects.get()) == []


def test_listing_of_an_unverified_company_is_not_published(
    integration_at: Callable[..., Integration], alice: Any, rita: Any, now: datetime
) -> None:
    row = integration_at("release")
    now += timedelta(minutes=10)  # the approval is final
    remove_proofs()
    fulfill_requirements(row, alice, now)
    row = Integration.objects.select_related("partner").get(pk=row.pk)
    assert (row.responsible_party, row.next_action_label) == ("partner", "Verify your company")
    (publish,) = [each for each in list_available_transitions(row, rita, now=now) if each.name == "publish"]
    message = "The company is not verified. An owner can verify it under “Verification” on the company page."
    assert message in publish.blockers
    with pytest.raises(ActionRefused, match="The company is not verified"):
        perform_transition(row, "publish", actor=rita, now=now)
    assert Listing.all_objects.count() == 0


@pytest.mark.every_database
def test_next_action_follows_the_verification(
    integration_at: Callable[..., Integration], sign_in: Callable[[Any], Client], alice: Any, rita: Any, now: datetime
) -> None:
    row = integration_at("release")
    now += timedelta(minutes=10)  # the approval is final
    remove_proofs()
    fulfill_requirements(row, alice, now)
    assert "/company/acme/verification/" in sign_in(alice).get(reverse("submissions:detail", args=[row.uuid])).text
    verification.verify_by_email(row.partner, actor=alice, now=now)
    row.refresh_from_db()
    assert (row.responsible_party, row.next_action_label) == ("program", "Publish the listing")
    assert row.reasons == [{"code": "ready_to_publish", "params": {}}]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/companies/", "Acme Unverified"),
        ("/companies/acme/", "Unverified No proof yet."),
        ("/search/?q=acme", "acme.example Unverified"),
        ("/integrations/", "Acme Unverified"),
        ("/queue/", "Acme · Unverified"),
        ("review", "Rocket Acme Unverified"),
        ("detail", "Acme Unverified"),
    ],
)
def test_program_staff_see_the_state_beside_the_name(
    integration_at: Callable[..., Integration], sign_in: Callable[[Any], Client], rita: Any, name: str, words: str
) -> None:
    row = integration_at("review")
    index_partners([row.partner])
    addresses = {"review": f"/integrations/{row.uuid}/review/", "detail": f"/integrations/{row.uuid}/"}
    address = addresses.get(name, name)
    assert words not in find_text(sign_in(rita).get(address), "body")
    remove_proofs()
    assert words in find_text(sign_in(rita).get(address), "body")


def test_reviewer_verifies_a_company_on_its_page(
    sign_in: Callable[[Any], Client], acme: Partner, alice: Any, rita: Any
) -> None:
    remove_proofs()
    client = sign_in(rita)
    page = client.post("/companies/acme/decision/", {"action": "verify", "note": ""}, follow=True)
    assert "Enter a reason." in find_text(page)
    page = client.post("/companies/acme/decision/", {"action": "verify", "note": "x" * 1001}, follow=True)
    assert "at most 1000 characters" in page.text
    fields = {"action": "verify", "name": acme.name, "note": "A known company."}
    page = client.post("/companies/acme/decision/", fields, follow=True)
    assert "Decision recorded." in find_text(page)
    assert "Decision of the program" in find_text(page, "#verification")
    acme.refresh_from_db()
    assert acme.is_verified


@pytest.mark.parametrize(("who", "code"), [("sam", 403), ("alice", 404), ("charlie", 404)])
def test_others_cannot_verify_a_company(
    sign_in: Callable[[Any], Client], acme: Partner, who: str, code: int, request: Any
) -> None:
    remove_proofs()
    client = sign_in(request.getfixturevalue(who))
    assert client.post("/companies/acme/decision/", {"action": "verify", "note": "Me."}).status_code == code
    acme.refresh_from_db()
    assert acme.verification_state == "unverified"


@pytest.mark.parametrize(("stage", "status"), [("review", 404), ("support", 301)])
def test_page_of_a_merged_company_redirects_only_if_it_was_public(
    client: Client,
    integration_at: Callable[..., Integration],
    acme: Partner,
    globex: Partner,
    sam: Any,
    now: datetime,
    stage: str,
    status: int,
) -> None:
    integration_at(stage)
    partner_merges.merge_partners(acme, globex, "One company since May.", actor=sam, now=now)
    assert client.get("/partners/acme/").status_code == status
