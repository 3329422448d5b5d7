"""Tests of the API resources for test runs, schemas, and tables."""

import io
from typing import Any

import pytest
from django.utils import timezone
from openpyxl import load_workbook

from integrations.partners.models import Partner
from integrations.submissions.services import findings
from portal.analytics.exports import EXPORTS
from portal.analytics.saved_views import services as saved
from portal.api.v1.analytics import TableParams
from portal.notifications.models import EmailMessage
from portal.notifications.unsubscribe import build_url
from tests.conftest import create_integration
from tests.portal.api.client import add_second_factor, create_api_client
from tests.portal.sample_objects import build_schema
from verification.testruns.models import TestRun


@pytest.fixture
def provider(acme: Any, alice: Any) -> Any:
    return create_integration(acme, alice, name="Rocket", repository="acme/terraform-provider-rocket", repository_id=77)


def test_lifecycle_test_starts_once_and_is_read(provider: Any, alice: Any) -> None:
    me = create_api_client(alice)
    tests = f"/integrations/{provider.uuid}/tests"
    place = f"{tests}/provider-lifecycle"
    base = 'resource "rocket_pad" "one" {\n}\n'
    body = {"version": "v1.4.0", "config": base, "changed_config": f"{base}# more"}
    body |= {"environment": "ROCKET_TOKEN=s3cret-value"}
    response = me.post(place, body)
    assert (response.status_code, response.json()["about"], response.json()["finished_at"]) == (202, "1.4.0", None)
    assert TestRun.objects.get().inputs["variables"] == ["ROCKET_TOKEN"]
    assert me.post(place, body).status_code == 409
    assert [each["id"] for each in me.get(f"{tests}?kind=provider_lifecycle").json()["items"]] == [
        response.json()["id"]
    ]
    test_run = f"{tests}/{response.json()['id']}"
    assert me.get(f"{tests}?kind=run_task").json()["items"] == []
    assert me.post(f"{test_run}/cancel").status_code == 409
    whole = me.get(test_run)
    assert (whole.json()["records"]["steps"], b"s3cret" in whole.content) == ([], False)
    same = me.post(place, body | {"changed_config": base})
    assert [each["field"] for each in same.json()["errors"]] == ["changed_config"]


def test_only_program_staff_list_internal_events(rocket: Any, alice: Any, rita: Any) -> None:
    findings.post_message(rocket, "Ask legal first.", actor=rita, now=timezone.now(), is_internal=True)
    path = f"/integrations/{rocket.uuid}/events"
    notes = [
        [event["note"] for event in create_api_client(user).get(path).json()["items"] if event["internal"]]
        for user in (alice, add_second_factor(rita))
    ]
    assert notes == [[], ["Ask legal first."]]


@pytest.mark.any_database
def test_schemas_are_submitted_and_compared(provider: Any, alice: Any) -> None:
    me = create_api_client(alice)
    place = f"/integrations/{provider.uuid}/schemas"
    for version in ("1.4.0", "1.5.0"):
        response = me.upload(place.removeprefix("/api/v1"), version=version, file=io.BytesIO(build_schema(provider)))
        assert (response.status_code, response.json()["resources"]) == (201, 1)
    assert [each["version"] for each in me.get(place).json()["versions"]] == ["1.5.0", "1.4.0"]
    data = me.get(f"{place}/changes").json()
    assert (data["older"], data["newer"], data["changes"], data["verdict"]["admits"]) == ("1.4.0", "1.5.0", [], True)
    assert me.get(f"{place}/changes?version=9.9.9").status_code == 404
    of = f"/integrations/{provider.uuid}/crossplane"
    assert [each["resource"] for each in me.get(of).json()["resources"]] == ["rocket_pad"]
    assert me.get(f"{of}?singletons=x").json()["errors"][0]["field"] == "singletons"
    assert me.post(f"{place}/inspect").status_code == 202
    assert (TestRun.objects.count(), me.post(f"{place}/inspect").status_code) == (1, 409)
    assert me.upload(place, version="x", file=io.BytesIO(b"{}")).json()["errors"][0]["field"] == "version"


def test_table_comes_as_json_csv_and_xlsx(provider: Any, alice: Any) -> None:
    me = create_api_client(alice)
    data = me.get("/analytics/integrations").json()
    assert (data["columns"][0], [row[0] for row in data["rows"]], data["more"]) == ("integration", ["Rocket"], False)
    lines = b"".join(me.get("/analytics/integrations", Accept="text/csv")).decode("utf-8-sig").splitlines()  # type: ignore[arg-type]
    assert [line.partition(",")[0] for line in lines] == ["integration", "Rocket"]
    book = load_workbook(io.BytesIO(b"".join(me.get("/analytics/integrations?format=xlsx"))))
    assert [row[0].value for row in book.worksheets[0]] == ["integration", "Rocket"]
    assert me.get("/analytics/integrations?q=nothing").json()["rows"] == []
    details = {table: me.get(f"/analytics/{table}").json()["detail"] for table in ("queue", "nonsense")}
    assert details == {
        "queue": "Not found. This operation is for program staff.",
        "nonsense": f"Unknown table. Use one of: {', '.join(EXPORTS)}.",
    }


@pytest.mark.parametrize("accept", ["text/*", "text/csv;header=present", "text/csv; charset=UTF-8"])
def test_accept_header_selects_csv(provider: Any, alice: Any, accept: str) -> None:
    response = create_api_client(alice).get("/analytics/integrations", Accept=accept)  # type: ignore[arg-type]
    assert response["Content-Type"] == "text/csv; charset=utf-8"


@pytest.mark.parametrize("accept", ["*/*", "application/json, text/csv", "text/csv;q=0.5, application/json"])
def test_accept_header_selects_json(provider: Any, alice: Any, accept: str) -> None:
    response = create_api_client(alice).get("/analytics/integrations", Accept=accept)  # type: ignore[arg-type]
    assert response["Content-Type"] == "application/json"


def test_table_accepts_all_parameters_of_its_page(provider: Any, alice: Any) -> None:
    names = {name for export in EXPORTS.values() for name in saved.PAGES[export.page].parameters}
    assert names ^ set(TableParams.model_fields) == {"format", "limit"}
    assert [row[0] for row in create_api_client(alice).get("/analytics/integrations?sort=name").json()["rows"]] == [
        "Rocket"
    ]


def test_misspelled_parameter_is_refused(provider: Any, alice: Any) -> None:
    answer = create_api_client(alice).get("/integrations?stag=review")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "stag")


def test_table_in_json_ends_at_the_limit(provider: Any, acme: Any, alice: Any) -> None:
    create_integration(acme, alice, name="Booster", repository="acme/booster", repository_id=1)
    data = create_api_client(alice).get("/analytics/integrations?limit=1").json()
    assert (len(data["rows"]), data["more"]) == (1, True)


def test_analytics_are_read_by_program_staff_only(db: Any, rita: Any) -> None:
    me = create_api_client(add_second_factor(rita))
    assert me.get("/analytics/stages?period=365").json()["name"] == "time-in-stages"


def test_views_are_visible_to_their_owner_only(alice: Any, bob: Any, acme: Any) -> None:
    saved.save_view(alice, "integrations", "Mine", "stage=review", shared=False, now=timezone.now())
    view = create_api_client(alice).get("/saved-views").json()[0]
    assert (view["name"], view["shared"], view["href"].partition("?")[2]) == ("Mine", False, "stage=review")
    assert create_api_client(bob).get("/saved-views").json() == []


def test_view_is_saved_renamed_and_deleted(alice: Any, bob: Any, acme: Any) -> None:
    me = create_api_client(alice)
    response = me.post("/saved-views", {"page": "integrations", "name": "Late", "query": "stage=review&odd=1"})
    assert (response.status_code, response.json()["query"], response.json()["is_default"]) == (
        201,
        "stage=review",
        False,
    )
    place = f"/saved-views/{response.json()['id']}"
    data = me.patch(place, {"name": "Later", "is_default": True}).json()
    assert (data["name"], data["is_default"]) == ("Later", True)
    assert me.patch(place, {"is_default": False}).json()["is_default"] is False
    assert me.post("/saved-views", {"page": "integrations", "name": "Later"}).status_code == 422
    assert me.post("/saved-views", {"page": "queue", "name": "Queue"}).status_code == 403
    unknown_page = me.post("/saved-views", {"page": "qeue", "name": "Queue"}).json()
    pages = "queue, integrations, sla, partners, agreements, emails, overview, flow, workload, forecast"
    assert unknown_page["errors"] == [{"field": "page", "message": f"Use one of: {pages}."}]
    assert me.post("/saved-views", {"page": "", "name": "Queue"}).json()["errors"][0]["field"] == "page"
    assert me.post("/saved-views", {"page": "integrations", "name": "Ours", "shared": True}).status_code == 403
    assert me.patch(place, {"name": ""}).json()["errors"][0]["field"] == "name"
    assert [create_api_client(bob).send(method, place).status_code for method in ("PATCH", "DELETE")] == [404, 404]
    assert me.send("DELETE", place).status_code == 200
    assert me.get("/saved-views").json() == []


def test_introductions_are_listed_for_both_sides_without_a_name(
    acme: Any, alice: Any, globex: Any, charlie: Any, rita: Any, bob: Any
) -> None:
    ours = create_integration(acme, alice, name="Rocket", repository="acme/rocket", repository_id=1)
    theirs = create_integration(globex, charlie, name="Rocket", repository="globex/rocket", repository_id=2)
    hers = create_api_client(alice)
    his = create_api_client(charlie)
    handle = hers.get(f"/integrations/{ours.uuid}/similar").json()[0]["handle"]
    response = hers.post(f"/integrations/{ours.uuid}/introductions", {"handle": handle, "message": "Shall we?"})
    assert response.status_code == 201
    for who, by_you in ((hers, True), (his, False)):
        (row,) = who.get("/introductions").json()["items"]
        values = [row[name] for name in ("id", "requested_by_you", "partner", "integration")]
        assert values == [response.json()["id"], by_you, "", ""]
    assert theirs.pk
    draft = hers.post("/drafts", {"program": "nomad", "name": "Rocket"}).json()["uuid"]
    assert len(hers.get(f"/drafts/{draft}/similar").json()) >= 1
    assert his.get(f"/drafts/{draft}/similar").status_code == 404


def test_report_subscription_is_read_as_it_was_saved(acme: Any, alice: Any) -> None:
    me = create_api_client(alice)
    (scope,) = me.get("/reports/subscriptions").json()["subscriptions"]
    assert me.patch("/reports", {"subscriptions": {scope: "never"}}).status_code == 200
    assert me.get("/reports/subscriptions").json() == {"subscriptions": {scope: "never"}}


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/analytics/integrations?severity=critical", "severity"),
        ("/analytics/agreements?program=nomad", "program"),
        ("/analytics/forecast?period=90", "period"),
        ("/analytics/emails?kind=review", "kind"),
    ],
)
def test_filter_of_another_table_is_refused(acme: Any, rita: Any, path: str, field: str) -> None:
    response = create_api_client(add_second_factor(rita)).get(path)
    errors = [{"field": field, "message": "Unknown parameter."}]
    assert (response.status_code, response.json()["errors"]) == (422, errors)


@pytest.mark.any_database
def test_only_partner_of_a_user_is_a_known_filter_value(rocket: Any, alice: Any, globex: Any) -> None:
    me = create_api_client(alice)
    paths = [f"/sla/clocks?partner={slug}" for slug in ("acme", "globex")]
    assert [me.get(path).status_code for path in paths] == [200, 422]


@pytest.mark.any_database
def test_clocks_are_filtered_by_the_longest_slug(acme: Any, rita: Any) -> None:
    Partner.objects.filter(pk=acme.pk).update(slug="a" * 80)
    response = create_api_client(add_second_factor(rita)).get(f"/sla/clocks?partner={'a' * 80}")
    assert response.status_code == 200


def test_email_log_has_no_keys_and_no_unsubscribe_urls(rita: Any, alice: Any) -> None:
    now = timezone.now()
    stop = build_url(alice, "messages")
    same = {"to": alice.email, "person": alice, "html": "", "created_at": now}
    mail = EmailMessage.objects.create(
        key="a", name="message", subject="Hello", text=f"Stop: {stop}", unsubscribe=stop, **same
    )
    key = EmailMessage.objects.create(key="b", name="invitation", subject="Join", text="https://key", **same)
    me = create_api_client(add_second_factor(rita))
    assert [row["subject"] for row in me.get("/emails?q=hello").json()["items"]] == ["Hello"]
    assert stop not in me.get(f"/emails/{mail.uuid}").json()["text"]
    assert me.get(f"/emails/{key.uuid}").status_code == 404


@pytest.mark.any_database
def test_email_of_a_transition_can_be_edited(rocket: Any, alice: Any, rita: Any) -> None:
    mine = create_api_client(add_second_factor(rita))
    path = f"/integrations/{rocket.uuid}/transitions"
    answer = mine.post(f"{path}/decline", {"note": "No.", "email": {"subject": " ", "body": "Sorry."}})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "email.subject")
    answer = mine.post(f"{path}/decline", {"note": "No.", "email": {"subject": "Not now", "body": "Sorry."}})
    email = EmailMessage.objects.get(name="integration_declined", to=alice.email)
    assert (answer.status_code, email.subject, email.text.split("\n\n")[0]) == (200, "Not now", "Sorry.")
    answer = mine.post(f"{path}/undo_decision", {"email": {"subject": "Not now", "body": "Sorry."}})
    assert (answer.status_code, answer.json()["detail"]) == (409, "You can't edit the email of this transition.")


@pytest.mark.any_database
def test_edited_finding_keeps_its_severity(integration_at: Any, rita: Any) -> None:
    row = integration_at("review")
    mine = create_api_client(add_second_factor(rita))
    body = {"requirement": row.edition.list_requirements()[0].id, "text": "Sign it.", "severity": "optional"}
    finding = mine.post(f"/integrations/{row.uuid}/findings", body).json()
    edited = mine.patch(f"/findings/{finding['id']}", {"text": "Sign the release."}).json()
    assert (edited["text"], edited["severity"]) == ("Sign the release.", "optional")
