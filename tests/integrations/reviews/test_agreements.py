"""Tests of the agreements of all companies, and of those that wait for the program in the review queue."""

import csv
import io
from datetime import timedelta
from uuid import UUID

import pytest

from integrations.partners.models import Membership
from integrations.reviews.models import Snooze
from integrations.reviews.selectors.queue import find_next_review
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import agreements
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.integrations.page_text import get_text, parse
from tests.integrations.reviews.queue_page import get_row_text, list_names
from tests.integrations.submissions.signatures import MNDA, RITA, TPA, Signature, publish_version, sign
from tests.integrations.submissions.test_agreement_uploads import upload
from tests.portal.api.client import add_second_factor, create_api_client
from tests.replay import replay_fixture


@pytest.fixture
@replay_fixture
def signatures_of_acme(rocket, alice, rita, now):
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA)
    sign(rocket, alice, now, requirement_id=MNDA)


@pytest.fixture
def signed_agreements(signatures_of_acme, globex, charlie, rita, now):
    """Acme's TPA in force and its MNDA half signed; a rejected PDF of Globex."""
    other = create_integration(globex, charlie, name="Other", repository="globex/other", repository_id=9)
    upload(other, charlie, now)
    agreements.reject_upload(other, TPA, reason="Page 2 is missing.", actor=rita, now=now)


def list_rows(client, query=""):
    response = client.get(f"/exports/agreements.csv{query}")
    rows = csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode("utf-8-sig")))
    return [(row["partner"], row["agreement"], row["version"], row["state"], row["method"]) for row in rows]


ACME_TPA = ("Acme", "Technology Partner Agreement", "2026-01", "in_force", "portal")
ACME_MNDA = ("Acme", "Mutual non-disclosure agreement", "2026-01", "waiting_for_program", "portal")
GLOBEX_TPA = ("Globex", "Technology Partner Agreement", "2026-01", "rejected", "upload")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", [GLOBEX_TPA, ACME_MNDA, ACME_TPA]),
        ("?q=acm", [ACME_MNDA, ACME_TPA]),
        ("?kind=tpa&method=portal", [ACME_TPA]),
        ("?state=rejected", [GLOBEX_TPA]),
        ("?version=2026-01&state=waiting_for_program", [ACME_MNDA]),
        ("?state=unknown", [GLOBEX_TPA, ACME_MNDA, ACME_TPA]),
    ],
)
def test_agreements_are_filtered(signed_agreements, rita, sign_in, query, rows):
    assert list_rows(sign_in(rita), query) == rows


def test_page_shows_who_signed_which_version(signed_agreements, rita, sign_in):
    text = get_text(sign_in(rita).get("/agreements/?q=acme&kind=tpa"))
    assert "Acme Technology Partner Agreement Version 2026-01 Download PDF In force Signed in the portal" in text
    assert "Company: Alice Archer Program: Rita Reyes" in text
    assert "Globex" not in text


def test_page_without_results_offers_to_clear_filters(signed_agreements, rita, sign_in):
    assert "No matching agreements Clear a filter." in get_text(sign_in(rita).get("/agreements/?q=nobody"))


def test_list_has_pages(acme, now, rita, sign_in):
    Agreement.objects.bulk_create(
        Agreement(partner=acme, kind="tpa", version=f"{year}-01", created_at=now) for year in range(2027, 2080)
    )
    client = sign_in(rita)
    assert "Version 2079-01" in get_text(client.get("/agreements/"))
    second = get_text(client.get("/agreements/?page=2"))
    assert ("Version 2029-01" in second, "Version 2079-01" in second) == (True, False)


def test_company_page_has_pages_of_agreements(acme, rocket, now, rita, sign_in):
    Agreement.objects.bulk_create(
        Agreement(partner=acme, kind="tpa", version=f"{year}-01", created_at=now) for year in range(2027, 2068)
    )
    client = sign_in(rita)
    contexts = [client.get(f"/companies/acme/?agreements={number}").context for number in (1, 2, 3)]
    assert [len(context["rows"]) for context in contexts] == [20, 20, 1]
    # Only the newest version can be signed.
    newest = [row.agreement.version for context in contexts for row in context["rows"] if row.signing_url]
    assert newest == ["2067-01"]


def test_half_signed_versions_are_replaced_by_a_newer_one(rocket, alice, now, rita, sign_in, monkeypatch):
    sign(rocket, alice, now, Signature("=SUM(A1)", "CEO", ""))
    publish_version(monkeypatch)
    assert [row[3] for row in list_rows(sign_in(rita))] == ["replaced"]


@pytest.mark.any_database
@pytest.mark.parametrize("path", ["/agreements/", "/exports/agreements.csv"])
def test_agreements_of_all_companies_are_for_program_staff(signed_agreements, alice, sign_in, path):
    assert sign_in(alice).get(path).status_code == 404


@pytest.mark.any_database
def test_page_of_the_company_links_to_its_agreements(signed_agreements, rita, sign_in):
    assert 'href="/agreements/?q=Acme"' in sign_in(rita).get("/companies/acme/").content.decode()


QUEUE = "/queue/?kind=agreement"


@pytest.fixture
def unsigned_agreement(rocket, alice, frozen_now):
    """The TPA of Acme, which Alice signed two days ago. Other requirements wait for Acme, too."""
    return sign(rocket, alice, frozen_now - timedelta(days=2))


@pytest.mark.every_database
def test_agreement_is_in_the_queue_until_the_program_signs(unsigned_agreement, rocket, rita, sam, sign_in, frozen_now):
    client = sign_in(rita)
    response = client.get("/queue/")
    assert list_names(response) == ["Rocket"]
    row_text = "Rocket Acme Sign “Technology Partner Agreement” for the program Agreement Nomad Waiting 2 d No due date"
    assert get_row_text(response, "Rocket") == row_text
    (link,) = parse(response).select("td.main a")
    assert link["href"] == f"/integrations/{rocket.uuid}/requirements/{TPA}/"
    assert 'name="signer"' in client.get(link["href"]).content.decode()
    assert list_names(sign_in(sam).get(QUEUE)) == []
    sign(rocket, rita, frozen_now, RITA)
    assert list_names(sign_in(rita).get(QUEUE)) == []


@pytest.mark.any_database
def test_uploaded_agreement_is_confirmed(rocket, alice, rita, sign_in, frozen_now):
    upload(rocket, alice, frozen_now)
    assert "Confirm the signed PDF of “Technology Partner Agreement”" in get_row_text(
        sign_in(rita).get(QUEUE), "Rocket"
    )
    (item,) = create_api_client(add_second_factor(rita)).get("/queue?kind=agreement").json()["items"]
    assert (item["reasons"], item["integration"]) == (
        ["Confirm the signed PDF of “Technology Partner Agreement”"],
        None,
    )


@pytest.mark.any_database
def test_agreement_of_an_ended_integration_is_not_in_the_queue(unsigned_agreement, rocket, rita, sign_in):
    Integration.objects.filter(pk=rocket.pk).update(stage="archived", responsible_party="")
    assert list_names(sign_in(rita).get(QUEUE)) == []


@pytest.mark.every_database
def test_agreement_of_several_integrations_is_one_item(unsigned_agreement, acme, alice, rita, rob, sign_in, frozen_now):
    create_integration(acme, alice, "vault", frozen_now, name="Keeper")
    create_integration(acme, alice, "packer", frozen_now, name="Bundler")
    sign(Integration.objects.get(name="Rocket"), alice, frozen_now, requirement_id=MNDA)
    client = sign_in(rita)
    reasons = [row.select(".chips li")[0].text for row in parse(client.get(QUEUE)).select("tbody tr")]
    assert sorted(reasons) == [
        "Sign “Mutual Non-Disclosure Agreement (MNDA), if needed” for the program",
        "Sign “Technology Partner Agreement” for the program",
    ]
    assert list_names(client.get(f"{QUEUE}&program=vault")) == ["Keeper", "Keeper"]
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:packer"])
    assert list_names(sign_in(User.objects.get(pk=rob.pk)).get(QUEUE)) == ["Bundler", "Bundler"]


@pytest.mark.every_database
def test_integration_that_waits_for_nothing_else_is_one_item(acme, alice, rita, sam, sign_in, frozen_now):
    approved_at = frozen_now - timedelta(days=2)
    row = create_integration(acme, alice, now=approved_at)
    row = advance_to_stage(row, "release", partner=alice, reviewer=rita, now=approved_at)
    fulfill_requirements(row, None, frozen_now)
    row.fulfillments.filter(requirement_id=TPA).update(status=Status.OPEN)
    sign(row, alice, frozen_now)
    row.refresh_from_db()
    assert (row.next_action_code, row.responsible_party) == ("sign_for_program", "program")
    response = sign_in(rita).get("/queue/?responsible_party=any")
    assert list_names(response) == ["Rocket"]
    assert "Agreement Nomad" in get_row_text(response, "Rocket")
    assert get_row_text(response, "Rocket").endswith(get_row_text(sign_in(sam).get("/queue/"), "Rocket")[-20:])


@pytest.mark.every_database
def test_agreement_is_an_item_of_the_integration_that_waits_for_nothing_else(
    acme, alice, rita, rob, sign_in, frozen_now
):
    """Of several ones, the first that is due. Others would have other reviewers."""
    for number, name in enumerate(("Draft", "Later", "First", "Last")):
        row = create_integration(acme, alice, name=name, now=frozen_now)
        Integration.objects.filter(pk=row.pk).update(uuid=UUID(int=number), reviewer=rob)
    sign(row, alice, frozen_now)
    action = {"next_action_code": "sign_for_program", "next_action_target": f"requirement:{TPA}"}
    for name, days in (("Later", 2), ("First", 1), ("Last", 2)):
        due_at = frozen_now + timedelta(days=days)
        Integration.objects.filter(name=name).update(responsible_party="program", action_due_at=due_at, **action)
    Integration.objects.filter(name="First").update(reviewer=rita)
    assert list_names(sign_in(rita).get(f"{QUEUE}&tab=mine")) == ["First"]
    assert list_names(sign_in(rob).get(f"{QUEUE}&tab=mine")) == []
    Integration.objects.filter(name="First").update(next_action_target="")
    assert list_names(sign_in(rob).get(f"{QUEUE}&tab=mine")) == ["Later"]


@pytest.mark.every_database
def test_agreement_belongs_to_the_reviewer_or_the_alliances_manager(
    unsigned_agreement, acme, rocket, rita, rob, sign_in, frozen_now
):
    client = sign_in(rita)
    assert list_names(client.get(f"{QUEUE}&tab=free")) == ["Rocket"]
    acme.alliances_manager = rob
    acme.save()
    assert "Assigned to Rob Roth" in get_row_text(client.get(QUEUE), "Rocket")
    Integration.objects.filter(pk=rocket.pk).update(reviewer=rita, claim_expires_at=frozen_now + timedelta(hours=1))
    assert "Claimed by you" in get_row_text(client.get(f"{QUEUE}&tab=mine"), "Rocket")
    assert list_names(client.get(f"{QUEUE}&tab=free")) == []
    assert list_names(sign_in(rob).get(f"{QUEUE}&tab=mine")) == []


@pytest.mark.any_database
def test_agreement_of_the_own_company_is_not_in_the_queue(unsigned_agreement, acme, rita, sign_in, frozen_now):
    Membership.objects.create(partner=acme, user=rita, role="editor", joined_at=frozen_now)
    assert list_names(sign_in(rita).get(QUEUE)) == []


@pytest.mark.every_database
def test_agreement_is_snoozed_with_the_integrations_that_wait_for_nothing_else(acme, alice, rita, sign_in, frozen_now):
    for name in ("Open", "First", "Last"):
        row = create_integration(acme, alice, name=name, now=frozen_now)
    sign(row, alice, frozen_now)
    action = {"next_action_code": "sign_for_program", "next_action_target": f"requirement:{TPA}"}
    until = frozen_now + timedelta(days=3)
    for name, days in (("First", 1), ("Last", 2)):
        due_at = frozen_now + timedelta(days=days)
        Integration.objects.filter(name=name).update(responsible_party="program", action_due_at=due_at, **action)
    client = sign_in(rita)
    queues = []
    for name in ("First", "Last"):
        integration = Integration.objects.get(name=name)
        Snooze.objects.create(integration=integration, until=until, reason="Counsel is away.", at=frozen_now)
        queues.append([list_names(client.get(f"{QUEUE}&tab={tab}")) for tab in ("all", "snoozed")])
    assert queues == [[["Last"], []], [[], ["First"]]]
    assert find_next_review(Integration.objects.get(name="Open"), rita, frozen_now) is None
    page = parse(client.get(f"{QUEUE}&tab=snoozed"))
    assert "Counsel is away." in page.select_one("td.main").text
    boxes = [box["value"] for box in page.select("input[name=row]")]
    assert boxes == [str(Integration.objects.get(name="First").uuid)]
