"""Tests of the agreements of all companies."""

import csv
import io

import pytest

from integrations.submissions.models import Agreement
from integrations.submissions.services import agreements
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.signatures import MNDA, RITA, TPA, Signature, publish_version, sign
from tests.integrations.submissions.test_agreement_uploads import upload
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
