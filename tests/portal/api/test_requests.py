"""Tests of pagination, rate limits, request bodies, and versions of all operations."""

from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.utils import timezone

from integrations.submissions.models import Integration
from tests.conftest import create_integration
from tests.portal.api.client import V1, ApiClient, add_second_factor, create_api_client
from tests.portal.api.test_tokens import get_problem_type

pytestmark = pytest.mark.any_database


@pytest.fixture
def api(alice: Any) -> ApiClient:
    return create_api_client(alice)


def test_next_page_of_a_list_continues(api: ApiClient, acme: Any, alice: Any) -> None:
    for number in range(5):
        create_integration(acme, alice, name=f"Rocket {number}", repository=f"acme/r{number}", repository_id=number)
    names_so_far = []
    path = "/integrations?limit=2"
    while path:
        answer = api.get(path)
        data = answer.json()
        names_so_far += [row["name"] for row in data["items"]]
        assert len(data["items"]) <= 2
        path = f"/integrations?limit=2&after={data['next']}" if data["next"] else ""
        assert ('rel="next"' in answer.get("Link", "")) == bool(data["next"])
    assert names_so_far == [f"Rocket {number}" for number in (4, 3, 2, 1, 0)]


def test_new_rows_do_not_shift_the_next_page(api: ApiClient, acme: Any, alice: Any) -> None:
    for number in range(3):
        create_integration(acme, alice, name=f"Rocket {number}", repository=f"acme/r{number}", repository_id=number)
    after = api.get("/integrations?limit=2").json()["next"]
    create_integration(acme, alice, name="New", repository="acme/new", repository_id=9)
    assert [row["name"] for row in api.get(f"/integrations?after={after}").json()["items"]] == ["Rocket 0"]


def test_next_page_of_the_queue_continues_after_changes(rita: Any, acme: Any, alice: Any, now: Any) -> None:
    rows = [
        create_integration(acme, alice, name=f"R{n}", repository=f"acme/q{n}", repository_id=90 + n) for n in range(5)
    ]
    for number, row in enumerate(rows):  # the last two are never due
        due = now + timedelta(days=number) if number < 3 else None
        Integration.objects.filter(pk=row.pk).update(responsible_party="partner", action_due_at=due)
    hers = create_api_client(add_second_factor(rita))
    listed_names = []
    path = "/queue?responsible_party=partner&limit=1"
    while path:
        data = hers.get(path).json()
        names = [each["name"] for each in data["items"]]
        listed_names += names
        Integration.objects.filter(name__in=names).update(
            action_due_at=now + timedelta(days=99), responsible_party="program"
        )
        path = f"/queue?responsible_party=partner&limit=1&after={data['next']}" if data["next"] else ""
    assert listed_names == ["R0", "R1", "R2", "R3", "R4"]


LARGE_KEY = urlsafe_b64encode(b'[null,99999999999999999999,null,null,""]').decode().rstrip("=")
LATE_MOMENT = urlsafe_b64encode(b'["9999-12-31T23:59:59-12:00",1,null,null,""]').decode().rstrip("=")


@pytest.mark.parametrize("after", ["a2sx", "azFAeA", "azFAMjAyNi0wMS0wMQ", LARGE_KEY, LATE_MOMENT])
def test_queue_refuses_an_invalid_cursor(rita: Any, after: str) -> None:
    answer = create_api_client(add_second_factor(rita)).get(f"/queue?after={after}")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "after")


@pytest.mark.parametrize("query", ["after=nonsense", "after=a2x", "limit=0", "limit=101", "stage=moon", "q=%00"])
def test_invalid_parameter_is_named(api: ApiClient, query: str) -> None:
    answer = api.get(f"/integrations?{query}")
    assert (answer.status_code, get_problem_type(answer)) == (422, "validation-error")
    assert query.partition("=")[0] in answer.json()["errors"][0]["field"]


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        ('{"body": "a", "bdoy": "b"}', 422, "validation-error"),
        ('{"body": ""}', 422, "validation-error"),
        ("{}", 422, "validation-error"),
        ("[]", 422, "validation-error"),
        ('{"body": NaN}', 400, "malformed-body"),
        ('{"body": 1e400}', 400, "malformed-body"),
        ('{"body": "a", "body": "b"}', 400, "malformed-body"),
        ('{"body": "\\u0000"}', 400, "malformed-body"),
        ('{"body": "\\ud800"}', 400, "malformed-body"),
        ("{", 400, "malformed-body"),
        ("[" * 100_000, 400, "malformed-body"),
    ],
)
def test_invalid_body_is_reported(api: ApiClient, rocket: Any, body: str, status: int, problem: str) -> None:
    answer = api.post(f"/integrations/{rocket.uuid}/messages", body)
    assert (answer.status_code, get_problem_type(answer)) == (status, problem)
    assert rocket.messages.count() == 0


def test_character_that_databases_refuse_is_named(api: ApiClient, rocket: Any) -> None:
    answer = api.post(f"/integrations/{rocket.uuid}/messages", '{"body": "\\u0000"}')
    assert answer.json()["detail"] == "The body contains an invalid character."
    assert api.post(f"/integrations/{rocket.uuid}/messages", "{").json()["detail"] == "The body is not JSON."


def test_body_that_is_no_object_is_explained(api: ApiClient, rocket: Any) -> None:
    answer = api.post(f"/integrations/{rocket.uuid}/messages", "[]")
    assert answer.json()["detail"] == "Send a JSON object."


def test_message_about_another_type_has_the_words_of_json(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}/requirements"
    answers = [
        api.post(f"{place}/NO-2/answer", {"answers": []}),
        api.post(f"{place}/NO-3/propose", {"times": {}}),
    ]
    assert [answer.json()["errors"] for answer in answers] == [
        [{"field": "answers", "message": "Send a JSON object."}],
        [{"field": "times", "message": "Send a JSON array."}],
    ]


def test_message_about_a_value_lists_the_known_ones(rita: Any) -> None:
    answer = create_api_client(add_second_factor(rita)).get("/queue?kind=reviews")
    message = "Use one of: review, appeal, partner, waiver, agreement, stale, dispute, label_policy."
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"field": "kind", "message": message}])


def test_unknown_field_is_named(api: ApiClient, rocket: Any) -> None:
    answer = api.post(f"/integrations/{rocket.uuid}/messages", {"body": "a", "bdoy": "b"})
    assert answer.json()["errors"] == [{"field": "bdoy", "message": "Unknown field."}]


def test_unknown_field_of_a_form_is_named(api: ApiClient, rocket: Any) -> None:
    file = SimpleUploadedFile("test-run.md", b"# Test run")
    answer = api.upload(f"/integrations/{rocket.uuid}/requirements/NO-3/upload", file=file, replace="x")
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"field": "replace", "message": "Unknown field."}])


@pytest.mark.parametrize(
    ("body", "status", "errors"),
    [
        ('{"version": 1}', 422, [{"field": "version", "message": "Unknown field."}]),
        ("version=1", 400, None),
        ('[{"version": 1}]', 422, None),
        ("[]", 422, None),
        ("{}", 202, None),
        ("", 202, None),
    ],
)
def test_operation_without_fields_refuses_a_body(
    api: ApiClient, rocket: Any, body: str, status: int, errors: Any
) -> None:
    answer = api.send("POST", f"/integrations/{rocket.uuid}/checks/run", body)
    assert (answer.status_code, answer.json().get("errors")) == (status, errors)


def test_repeated_parameter_is_refused(api: ApiClient) -> None:
    answer = api.get("/integrations?stage=review&stage=engage")
    errors = [{"field": "stage", "message": "Send this parameter once."}]
    assert (answer.status_code, answer.json()["errors"]) == (422, errors)


@pytest.mark.parametrize("time", ["2026-12-01T14:00:00", "2026-12-01", "soon", None])
def test_time_without_offset_is_refused(api: ApiClient, rocket: Any, time: str | None) -> None:
    answer = api.post(f"/integrations/{rocket.uuid}/requirements/NO-3/propose", {"times": [time]})
    message = "Enter a time with its UTC offset, such as 2026-04-14T09:00:00Z."
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"field": "times.0", "message": message}])


def test_invalid_key_is_named(api: ApiClient, acme: Any) -> None:
    body = {
        "time_zone": "Europe/Berlin",
        "workdays": [0, 1, 2, 3, 4],
        "extra_days": {"2026-13-01": "Closed", "2026-12-24": "Closed"},
    }
    answer = api.post(f"/partners/{acme.slug}/calendar", body)
    assert [each["field"] for each in answer.json()["errors"]] == ["extra_days.2026-13-01"]
    body["extra_days"] = {"2026-12-24": "Closed"}
    assert api.post(f"/partners/{acme.slug}/calendar", body).status_code == 200
    assert api.get(f"/partners/{acme.slug}/calendar").json()["extra_days"] == {"2026-12-24": "Closed"}


def test_null_leaves_a_field_unchanged_and_an_empty_text_clears_it(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}"
    assert api.patch(place, {"homepage": "https://rocket.example/", "category": "ci-cd"}).status_code == 200
    assert api.patch(place, {"homepage": None, "name": "New name"}).json()["homepage"] == "https://rocket.example/"
    assert api.patch(place, {"homepage": ""}).json()["homepage"] == ""


def test_form_instead_of_json_is_refused(api: ApiClient, rocket: Any) -> None:
    place = f"/api/v1/integrations/{rocket.uuid}/messages"
    answer = api.client.post(place, "body=a", content_type="application/x-www-form-urlencoded", headers=api.headers({}))
    assert (answer.status_code, get_problem_type(answer)) == (415, "unsupported-media-type")


def test_wrong_method_and_unknown_url_are_problems(api: ApiClient) -> None:
    wrong = api.send("PUT", "/integrations")
    assert (wrong.status_code, get_problem_type(wrong), wrong["Allow"]) == (405, "method-not-allowed", "GET, HEAD")
    assert get_problem_type(api.get("/nowhere")) == "not-found"
    assert get_problem_type(api.get("/integrations/not-a-uuid")) == "not-found"


def test_session_does_not_replace_a_token(sign_in: Any, alice: Any) -> None:
    assert sign_in(alice).get("/api/v1/integrations").status_code == 401


def test_request_over_the_limit_gets_retry_after(api: ApiClient, settings: Any, time_machine: Any) -> None:
    time_machine.move_to(timezone.now(), tick=False)  # the limit is that of a minute
    settings.API_REQUESTS_PER_MINUTE = 2
    answers = [api.get("/me") for _ in range(4)]
    over = [answer for answer in answers if answer.status_code == 429]
    assert answers[0]["RateLimit-Policy"] == '"default";q=2;w=60'
    assert answers[0]["RateLimit"].startswith('"default";r=')
    assert over
    assert get_problem_type(over[0]) == "rate-limited"
    assert 1 <= int(over[0]["Retry-After"]) <= 60


def test_without_a_cache_requests_are_not_limited(
    api: ApiClient, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_outage(*_: Any, **__: Any) -> None:
        raise OperationalError("away")

    settings.API_REQUESTS_PER_MINUTE = 1
    monkeypatch.setattr(type(cache), "add", raise_outage, raising=False)
    monkeypatch.setattr("django.core.cache.backends.locmem.LocMemCache.add", raise_outage)
    assert {api.get("/me").status_code for _ in range(3)} == {200}


def test_newer_form_answer_is_not_overwritten(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}/requirements/NO-3"
    body = {"answers": {"tests": "make test", "documentation": "https://docs.example"}}
    read = api.get(place)
    assert read["ETag"].startswith('"0-')
    first = api.post(f"{place}/answer", body, **{"If-Match": read["ETag"]})
    assert (first.status_code, first["ETag"]) == (200, '"1"')
    late = api.post(f"{place}/answer", {"answers": body["answers"] | {"tests": "x"}}, **{"If-Match": read["ETag"]})
    assert (late.status_code, get_problem_type(late)) == (412, "precondition-failed")
    assert api.get(place).json()["answers"]["tests"] == "make test"
    assert api.post(f"{place}/answer", {"answers": body["answers"] | {"tests": "y"}}).status_code == 200


def test_newer_draft_and_details_are_not_overwritten(api: ApiClient, rocket: Any) -> None:
    draft = api.post("/drafts", {"program": "nomad", "name": "One"}).json()
    place = f"/drafts/{draft['uuid']}"
    read = api.get(place)["ETag"]
    assert api.patch(place, {"name": "Two"}, **{"If-Match": read}).status_code == 200
    assert api.patch(place, {"name": "Three"}, **{"If-Match": read}).status_code == 412
    place = f"/integrations/{rocket.uuid}"
    details = {"name": "New", "category": "ci-cd"}
    assert api.patch(place, details, **{"If-Match": '"999"'}).status_code == 412
    assert Integration.objects.get(pk=rocket.pk).name == "Rocket"
    assert api.patch(place, details)["ETag"] == f'"{Integration.objects.get(pk=rocket.pk).version}"'


def test_upload_returns_the_etag_for_the_next_one(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}/requirements/NO-7-LOGS"
    response = api.get(place)
    for content in (b"one", b"two"):
        fields = {"file": SimpleUploadedFile("a.txt", content)}
        headers = api.headers({"If-Match": response["ETag"]})
        response = api.client.post(f"{V1}{place}/upload", fields, headers=headers)
    assert (response.status_code, len(response.json()["documents"])) == (200, 2)


def test_unknown_question_is_named(api: ApiClient, rocket: Any) -> None:
    answer = api.post(f"/integrations/{rocket.uuid}/requirements/NO-3/answer", {"answers": {"color": "red"}})
    assert answer.json()["errors"] == [{"field": "answers.color", "message": "Unknown question."}]


def test_secret_of_a_test_account_is_in_no_response(api: ApiClient, integration_at: Any) -> None:
    row = integration_at("review")
    place = f"/integrations/{row.uuid}/requirements/NO-6"
    response = api.post(f"{place}/add", {"label": "Tenant", "secret": "hunter-2-canary"})
    assert response.status_code == 200
    assert [each["label"] for each in response.json()["credentials"]] == ["Tenant"]
    for path in (place, f"/integrations/{row.uuid}/events", f"/integrations/{row.uuid}"):
        assert "hunter-2-canary" not in api.get(path).content.decode()
    assert api.post(f"{place}/reveal", {"reason": "x"}).status_code == 404


@pytest.mark.parametrize("path", ["/partners/unknown", "/partners/unknown/members", "/partners/unknown/events"])
def test_unknown_partner_is_not_found_without_the_name_of_its_model(api: ApiClient, path: str) -> None:
    answer = api.get(path)
    assert (answer.status_code, answer.json()["detail"]) == (
        404,
        "Not found. It doesn't exist, or you don't have access.",
    )
