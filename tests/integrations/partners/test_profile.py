"""Tests of the profile of a company, and of the agreements and history on its page."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners import name_validation
from integrations.partners.models import Partner
from integrations.partners.services import members, profiles
from integrations.submissions.models import Integration
from integrations.submissions.selectors.agreements import list_agreements
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from tests.integrations.page_text import find_text, get_field_error
from tests.integrations.submissions.signatures import RITA, publish_version, sign
from tests.portal.api.client import create_api_client

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]
CHANGE = "/company/acme/change/"


def test_owner_renames_the_company_and_the_history_shows_it(sign_in: SignIn, acme: Partner, alice: Any) -> None:
    client = sign_in(alice)
    page = client.post(CHANGE, {"name": "  Acme  Rockets ", "website": "acme.example"}, follow=True)
    acme.refresh_from_db()
    assert (acme.name, acme.slug, acme.website) == ("Acme Rockets", "acme", "https://acme.example")
    event = AuditEvent.objects.get(event_type="partner.profile_changed")
    assert event.data == {
        "changes": {"name": "Acme Rockets", "website": "https://acme.example"},
        "before": {"name": "Acme", "website": ""},
    }
    assert "Name: Acme → Acme Rockets" in find_text(page, "#history")


def test_profile_retains_a_field_that_a_colleague_changed(
    sign_in: SignIn, acme: Partner, alice: Any, now: datetime
) -> None:
    client = sign_in(alice)
    shown = {"initial-name": "Acme", "initial-website": ""}
    assert [name for name in shown if f'name="{name}"' not in client.get(CHANGE).text] == []
    profiles.change_profile(acme, name="Apex", actor=alice, now=now)
    client.post(CHANGE, shown | {"name": "Acme", "website": "https://acme.example"})
    acme.refresh_from_db()
    assert (acme.name, acme.website) == ("Apex", "https://acme.example")


def test_company_with_the_longest_domain_is_created(alice: Any, now: datetime) -> None:
    domain = f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 53}.example"
    partner = profiles.create_partner("Longacre", domain=domain, actor=alice, now=now)
    Partner._meta.get_field("domain").run_validators(partner.domain)  # SQLite does not enforce the length
    assert len(partner.domain) == 253


def test_website_with_a_user_name_is_refused(sign_in: SignIn, acme: Partner, alice: Any) -> None:
    page = sign_in(alice).post(CHANGE, {"name": "Acme", "website": "https://github.com@acme.example/"})
    assert page.status_code == 422
    assert get_field_error(page, "website") == "Remove the user name and password from the URL."


def test_saving_without_changes_records_nothing(acme: Partner, alice: Any, now: datetime) -> None:
    profiles.change_profile(acme, name="Acme", website="", actor=alice, now=now)
    assert AuditEvent.objects.filter(event_type="partner.profile_changed").count() == 0


@pytest.mark.parametrize("name", ["Globex", "G1obex", "GLOBEX!", "Glоbex"])
def test_lookalike_name_is_refused_with_field_error(
    sign_in: SignIn, acme: Partner, globex: Partner, alice: Any, name: str
) -> None:
    page = sign_in(alice).post(CHANGE, {"name": name, "website": "https://new.example"})
    assert page.status_code == 422
    assert get_field_error(page, "name")
    assert 'value="https://new.example"' in page.text
    assert Partner.objects.get(slug="acme").name == "Acme"


def test_former_name_stays_reserved_for_a_while(acme: Partner, alice: Any, charlie: Any, now: datetime) -> None:
    profiles.change_profile(acme, name="Rockets", website="", actor=alice, now=now)
    day = timedelta(days=1)
    with pytest.raises(ActionRefused, match="already exists"):
        profiles.create_partner("ACME.", actor=charlie, now=now + day)
    profiles.change_profile(acme, name="Acme", website="", actor=alice, now=now + 2 * day)
    profiles.change_profile(acme, name="Rockets", website="", actor=alice, now=now + 3 * day)
    assert (
        profiles.create_partner("Acme!", actor=charlie, now=now + 4 * day + name_validation.OLD_NAME_RETENTION).name
        == "Acme!"
    )


def test_own_name_can_change_its_spelling(acme: Partner, alice: Any, now: datetime) -> None:
    assert profiles.change_profile(acme, name="ACME", website="", actor=alice, now=now).name == "ACME"


def test_website_can_change_while_the_name_is_no_longer_allowed(
    sign_in: SignIn, acme: Partner, alice: Any, now: datetime
) -> None:
    Partner.objects.filter(pk=acme.pk).update(name="Acme ✔")
    profiles.change_profile(acme, name="Acme ✔", website="https://service.example", actor=alice, now=now)
    acme.refresh_from_db()
    assert (acme.name, acme.website) == ("Acme ✔", "https://service.example")
    sign_in(alice).post(CHANGE, {"name": "Acme ✔", "website": "https://page.example"})
    acme.refresh_from_db()
    assert (acme.name, acme.website) == ("Acme ✔", "https://page.example")
    create_api_client(alice).patch("/partners/acme", {"website": "https://api.example"})
    acme.refresh_from_db()
    assert (acme.name, acme.website) == ("Acme ✔", "https://api.example")


def test_editor_cannot_change_the_profile(sign_in: SignIn, acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    page = sign_in(bob).post(CHANGE, {"name": "Bobs", "website": ""}, follow=True)
    assert "Only owners" in find_text(page)
    with pytest.raises(ActionRefused, match="Only owners"):
        profiles.change_profile(acme, name="Bobs", website="", actor=bob, now=now)
    assert Partner.objects.get().name == "Acme"


def test_page_shows_the_agreements(sign_in: SignIn, rocket: Integration, alice: Any, rita: Any, now: datetime) -> None:
    sign(rocket, alice, now)
    client = sign_in(alice)
    assert "Waiting for the program" in find_text(client.get("/company/acme/"), "#agreements")
    sign(rocket, rita, now, RITA)
    text = find_text(client.get("/company/acme/"), "#agreements")
    for phrase in (
        "Technology Partner Agreement",
        "Version 2026-01",
        "In force",
        "Alice Archer",
        "Rita Reyes · Director",
    ):
        assert phrase in text


def test_newest_complete_version_is_in_force(
    rocket: Integration, alice: Any, rita: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("2026-01", "2027-01", "2028-01"):
        if version != "2026-01":
            publish_version(monkeypatch, version)
        sign(rocket, alice, now)
        if version != "2028-01":
            sign(rocket, rita, now, RITA)
    agreement_rows = list_agreements(rocket.partner)
    assert [(each.agreement.version, each.state, bool(each.signing_url)) for each in agreement_rows] == [
        ("2028-01", "waiting_for_program", True),
        ("2027-01", "in_force", False),
        ("2026-01", "replaced", False),
    ]


def test_only_owners_see_invitations_in_the_history(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any, rita: Any, now: datetime
) -> None:
    members.create_invitation(acme, "dora@acme.example", "viewer", actor=alice, now=now)
    profiles.change_profile(acme, name="Acme Rockets", website="", actor=alice, now=now)
    assert "invited dora@acme.example" in find_text(sign_in(alice).get("/company/acme/"), "#history")
    for person, path in ((bob, "/company/acme/"), (rita, "/companies/acme/")):
        page = sign_in(person).get(path).text
        assert "Name: Acme → Acme Rockets" in page
        assert "dora@acme.example" not in page
