"""Tests of the audit log page: who can read it, its filters, its pages, and its exports."""

import csv
import io
import json
from datetime import datetime
from typing import Any

import pytest
from django.urls import reverse

from portal.accounts import roles
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.inbox.views.audit_log import COLUMNS
from portal.webhooks.services import create_endpoint
from tests.conftest import NOW, create_integration, create_user
from tests.integrations.submissions.signatures import sign
from tests.portal.accounts.sign_in import SignIn
from tests.portal.audit.tampering import execute_without_trigger

PAGE = "/audit-log/"


@pytest.fixture
def events(alice: User, bob: User, sam: User) -> None:
    for user, role in ((alice, "reviewer"), (bob, "auditor")):
        roles.change_roles(user, grant=[role], actor=sam, now=NOW, reason="=Joins")


def export_csv(client: Any, query: str) -> str:
    return b"".join(client.get(f"{PAGE}?{query}").streaming_content).decode()


def test_staff_and_auditors_read_the_log_and_others_do_not(
    events: None, sign_in: SignIn, sam: User, bob: User, rita: User, charlie: User
) -> None:
    answers = [sign_in(User.objects.get(pk=who.pk)).get(PAGE).status_code for who in (sam, bob, rita, charlie)]
    assert answers == [200, 200, 404, 404]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Bob Baker", "Alice Archer"]),
        ("kind=account.deactivated", []),
        ("person=sam", ["Bob Baker", "Alice Archer"]),
        ("person=rita", []),
        ("person=SAM@program.example", ["Bob Baker", "Alice Archer"]),
        ("person=rita@program.example", []),
        ("last_day=2000-01-01", []),
        ("first_day=2000-01-01", ["Bob Baker", "Alice Archer"]),
        ("first_day=2000-99-99", ["Bob Baker", "Alice Archer"]),
    ],
)
def test_filters_select_events(events: None, sign_in: SignIn, sam: User, query: str, names: list[str]) -> None:
    lines = export_csv(sign_in(sam), f"{query}&format=jsonl").splitlines()
    assert [json.loads(line)["data"]["name"] for line in lines] == names


def test_person_without_a_name_is_found_by_a_part_of_the_email(events: None, sign_in: SignIn, sam: User) -> None:
    unnamed = create_user("root@program.example", "", is_staff=True, is_superuser=True)
    roles.change_roles(sam, grant=["reviewer"], actor=unnamed, now=NOW, reason="Joins")
    lines = export_csv(sign_in(sam), "person=root@program&format=jsonl").splitlines()
    assert [json.loads(line)["data"]["name"] for line in lines] == ["Sam Stone"]


def test_filter_of_an_object_verifies_its_chain(events: None, sign_in: SignIn, sam: User, alice: User) -> None:
    page = sign_in(sam).get(f"{PAGE}?stream=account:{alice.pk}").content.decode()
    assert ("The log of this object is intact." in page, "was changed" in page) == (True, False)


def test_filter_of_an_object_without_events_verifies_nothing(events: None, sign_in: SignIn, sam: User) -> None:
    page = sign_in(sam).get(f"{PAGE}?stream=account:0")
    assert ("No matching events" in page.text, "is intact" in page.text) == (True, False)


def test_changed_event_is_shown(events: None, sign_in: SignIn, sam: User, alice: User) -> None:
    execute_without_trigger("UPDATE audit_auditevent SET note = 'Forged' WHERE stream = %s", f"account:{alice.pk}")
    page = sign_in(sam).get(f"{PAGE}?stream=account:{alice.pk}").content.decode()
    assert "The log of this object was changed" in page
    assert "<code>manage.py verify_audit_log</code>" in page


def test_unknown_key_is_not_taken_for_a_change(
    events: None, sign_in: SignIn, sam: User, alice: User, settings: Any
) -> None:
    settings.AUDIT_KEYS = {"2027": "the newest key"}
    page = sign_in(sam).get(f"{PAGE}?stream=account:{alice.pk}").content.decode()
    assert ("A part of this log" in page, "was changed" in page) == (True, False)
    assert "is intact" not in page


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        ("event_type", "account.forged", "Sam Stone recorded an event of an unknown type"),
        ("data", "[1, 2]", "Sam Stone changed the roles of …"),
        ("data", '{"issues": 1}', "Sam Stone changed the roles of …"),
        ("data", '{"issues": [1, {}]}', "Sam Stone changed the roles of …"),
    ],
)
def test_page_shows_an_event_that_was_tampered_with(
    events: None, sign_in: SignIn, sam: User, alice: User, column: str, value: str, text: str
) -> None:
    execute_without_trigger(
        f"UPDATE audit_auditevent SET {column} = %s WHERE stream = %s", value, f"account:{alice.pk}"
    )
    for query in ("", f"stream=account:{alice.pk}"):
        assert text in sign_in(sam).get(f"{PAGE}?{query}").content.decode()
    assert "The log of this object was changed" in sign_in(sam).get(f"{PAGE}?stream=account:{alice.pk}").text


def test_export_can_be_verified_with_the_keys(events: None, sign_in: SignIn, sam: User, alice: User) -> None:
    (line,) = export_csv(sign_in(sam), f"stream=account:{alice.pk}&format=jsonl").splitlines()
    record = json.loads(line)
    columns = {COLUMNS[name]: value for name, value in record.items()}
    event = AuditEvent(**columns | {"at": datetime.fromisoformat(record["created_at"])})
    assert event.compute_hash() == record["hash"]


def test_pages_continue_before_the_last_event(
    events: None, sign_in: SignIn, sam: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.inbox.views.audit_log.PAGE_SIZE", 1)
    first = sign_in(sam).get(PAGE)
    second = sign_in(sam).get(f"{PAGE}?before={first.context['next_before']}")
    names = [[event.data["name"] for event in page.context["events"]] for page in (first, second)]
    assert (names, second.context["next_before"]) == ([["Bob Baker"], ["Alice Archer"]], None)


def test_invalid_date_is_reported(events: None, sign_in: SignIn, sam: User) -> None:
    page = sign_in(sam).get(f"{PAGE}?first_day=2000-99-99").content.decode()
    assert "Enter a date as YYYY-MM-DD." in page


def test_csv_export_has_no_formulas(events: None, sign_in: SignIn, sam: User) -> None:
    rows = list(csv.DictReader(io.StringIO(export_csv(sign_in(sam), "format=csv").removeprefix("\ufeff"))))
    assert [(row["actor"], row["note"]) for row in rows] == [("Sam Stone", "'=Joins")] * 2


@pytest.mark.any_database
def test_detail_selects_events_about_one_part_of_an_object(integration_at: Any, sign_in: SignIn, sam: User) -> None:
    integration = integration_at("review", "nomad")
    for data in ({"issue": "a-1"}, {"issues": [{"issue": "a-1"}], "count": 1}, {"issue": "b-2"}, {"finding": 3}):
        record_event(integration, "review.claimed", actor=None, now=NOW, **data)
    client = sign_in(sam)
    stream = f"stream=integration:{integration.pk}&format=jsonl"
    selected = {
        detail: [json.loads(line)["data"] for line in export_csv(client, f"{stream}&detail={detail}").splitlines()]
        for detail in ("issue:a-1", "issue:issue", "finding:3", "finding:4")
    }
    assert selected == {
        "issue:a-1": [{"issues": [{"issue": "a-1"}], "count": 1}, {"issue": "a-1"}],
        "issue:issue": [],  # a key of the data
        "finding:3": [{"finding": 3}],
        "finding:4": [],
    }


def test_unknown_detail_is_reported(sign_in: SignIn, sam: User) -> None:
    assert "Enter a name and a value, such as requirement:NO-3." in sign_in(sam).get(f"{PAGE}?detail=x:1").text


def test_detail_needs_an_object_or_a_partner(events: None, sign_in: SignIn, sam: User) -> None:
    page = sign_in(sam).get(f"{PAGE}?detail=finding:3")
    assert ("Also enter an object or a partner." in page.text, len(page.context["events"])) == (True, 2)


def test_company_selects_events_of_all_its_objects(
    integration_at: Any, globex: Any, sign_in: SignIn, sam: User, charlie: User
) -> None:
    integration = integration_at("review", "nomad")
    create_integration(globex, charlie, repository_id=3, now=NOW)
    streams = {
        json.loads(line)["stream"] for line in export_csv(sign_in(sam), "partner=acme&format=jsonl").splitlines()
    }
    assert streams == {f"integration:{integration.pk}"}


def test_page_of_a_program_webhook_links_to_its_events(sign_in: SignIn, sam: User) -> None:
    values = {"name": "Build", "event_types": ["integration.listed"], "url": "https://hooks.program.example/1"}
    endpoint, _secret = create_endpoint(None, values, actor=sam, now=NOW)
    client = sign_in(sam)
    query = f"stream=webhook:{endpoint.pk}&detail=webhook:{endpoint.uuid}"
    page = client.get(reverse("webhooks:detail", args=[endpoint.uuid])).text
    events = [json.loads(line)["event_type"] for line in export_csv(client, f"{query}&format=jsonl").splitlines()]
    assert (query.replace("&", "&amp;") in page, events) == (True, ["webhook.created"])


def test_agreement_links_to_its_events(rocket: Any, alice: User, sign_in: SignIn, sam: User) -> None:
    agreement = sign(rocket, alice, NOW)
    client = sign_in(sam)
    query = f"partner=Acme&detail=digest:{agreement.digest}"
    page = client.get(reverse("reviews:agreements")).text
    events = [json.loads(line)["event_type"] for line in export_csv(client, f"{query}&format=jsonl").splitlines()]
    assert (query.replace("&", "&amp;") in page, events) == (True, ["agreement.signed_by_partner"])
