"""Tests of the API middleware: problem details, conditional requests, and HEAD."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services import meetings
from integrations.submissions.services.meetings import MeetingProposal
from portal import wsgi
from portal.api.models import ApiToken, IdempotencyRecord
from tests.portal.api.client import V1, ApiClient, add_second_factor, create_api_client
from tests.portal.api.test_tokens import get_problem_type

pytestmark = pytest.mark.any_database

KEY = {"Idempotency-Key": "once"}
KEYS = pytest.mark.parametrize("key", [{}, KEY], ids=["plain", "with a key"])


@pytest.fixture
def api(alice: Any) -> ApiClient:
    return create_api_client(alice)


def get_problem(answer: Any) -> tuple[int, str]:
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, get_problem_type(answer)


def send_form(who: ApiClient, row: Any, key: dict[str, str], text: bytes, kind: str) -> Any:
    place = f"{V1}/integrations/{row.uuid}/requirements/NO-3/upload"
    return who.client.generic("POST", place, text, content_type=kind, headers=who.headers(dict(key)))


@KEYS
def test_body_that_is_too_large_is_reported(api: ApiClient, rocket: Any, settings: Any, key: dict[str, str]) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = api.post(f"/integrations/{rocket.uuid}/messages", {"body": "x" * 3000}, **key)
    assert get_problem(answer) == (413, "content-too-large")
    assert answer.json()["detail"] == "The body is too large. Send up to 1,000 bytes."
    assert IdempotencyRecord.objects.count() == 0


@pytest.mark.every_database
@KEYS
def test_invalid_form_is_reported(api: ApiClient, rocket: Any, key: dict[str, str]) -> None:
    assert get_problem(send_form(api, rocket, key, b"--x", "multipart/form-data")) == (400, "malformed-body")
    assert send_form(api, rocket, key, b"--x", "multipart/form-data; boundary=x").status_code == 422


@KEYS
def test_form_with_too_many_fields_is_reported(api: ApiClient, rocket: Any, key: dict[str, str]) -> None:
    place = f"{V1}/integrations/{rocket.uuid}/requirements/NO-3/upload"
    for fields in ({f"a{n}": "1" for n in range(400)}, {f"a{n}": io.BytesIO(b"1") for n in range(120)}):
        answer = api.client.post(place, fields, headers=api.headers(dict(key)))
        assert get_problem(answer) == (413, "content-too-large")


def test_too_many_parameters_are_reported(api: ApiClient) -> None:
    assert get_problem(api.get("/integrations?" + "&".join(f"a{n}=1" for n in range(400)))) == (
        413,
        "content-too-large",
    )


def test_missing_body_is_reported(api: ApiClient, rocket: Any) -> None:
    answer = api.send("POST", f"/integrations/{rocket.uuid}/transitions/withdraw", "")
    assert (get_problem(answer), answer.json()["detail"]) == (
        (422, "validation-error"),
        "Send a JSON body. An empty one is {}.",
    )


def test_body_without_content_length_is_reported(api: ApiClient, rocket: Any) -> None:
    answer = api.send("POST", f"/integrations/{rocket.uuid}/messages", "", **{"Transfer-Encoding": "chunked"})
    assert get_problem(answer) == (411, "length-required")


@pytest.mark.parametrize(
    ("content_type", "read"),
    [
        ("application/json; charset=hex", "application/json"),
        ("application/json; charset=UTF-8", "application/json; charset=UTF-8"),
        ('application/json; charset="utf-8"', 'application/json; charset="utf-8"'),
        ("multipart/form-data; Charset=idna; boundary=x", "multipart/form-data; boundary=x"),
        ("text/plain;charset=utf-8-sig", "text/plain"),
        ("", ""),
    ],
)
def test_every_request_is_read_as_utf8(content_type: str, read: str) -> None:
    request_environ = dict[str, Any]()
    wsgi.force_utf8(lambda environ, _: request_environ.update(environ) or [])({"CONTENT_TYPE": content_type}, None)
    assert request_environ["CONTENT_TYPE"] == read


@pytest.mark.every_database
def test_unavailable_database_before_an_operation_is_reported(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def raise_locked(*_: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("portal.api.middleware.tokens.authenticate_token", raise_locked)
    answer = api.get("/me")
    assert (get_problem(answer), answer["Retry-After"]) == ((503, "service-unavailable"), "2")
    assert answer.json()["detail"] == "The database is unavailable. Try again in a moment."
    assert "database unavailable: database is locked" in caplog.messages


def test_missing_or_unknown_token_gets_authentication_scheme(db: None) -> None:
    for path in ("/me", "/integrations"):
        assert ApiClient().get(path)["WWW-Authenticate"] == 'Bearer realm="portal"'
        assert get_problem(ApiClient().get(path)) == (401, "authentication-required")
        assert ApiClient("ptl_nonsense").get(path)["WWW-Authenticate"] == 'Bearer realm="portal", error="invalid_token"'


def test_ended_token_is_told_from_a_missing_one(api: ApiClient) -> None:
    ApiToken.objects.update(revoked_at=timezone.now())
    basic = {"Authorization": f"Basic {api.secret}"}
    answers = [ApiClient().get("/me"), ApiClient().get("/programs", **basic), api.get("/me")]
    assert [answer.status_code for answer in answers] == [401] * 3
    assert [answer.json()["detail"] for answer in answers] == [
        "Send a token in the Authorization header: “Authorization: Bearer ptl_…”.",
        "Send a token in the Authorization header: “Authorization: Bearer ptl_…”.",
        "The token is unknown, revoked, or expired. Check it, or create another one.",
    ]


def test_head_is_get_without_a_body(api: ApiClient, rocket: Any) -> None:
    place = f"{V1}/integrations/{rocket.uuid}"
    whole = api.get(place)
    head = api.client.head(place, headers=api.headers({}))
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", whole["ETag"])
    assert head["Content-Length"] == str(len(whole.content))
    assert api.client.head(f"{V1}/nowhere", headers=api.headers({})).status_code == 404


@pytest.mark.every_database
def test_unchanged_response_is_not_modified(api: ApiClient, rocket: Any) -> None:
    for path in ("/integrations", f"/integrations/{rocket.uuid}"):
        tag = api.get(path)["ETag"]
        for etag in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = api.get(path, **{"If-None-Match": etag})
            assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
        assert api.get(path, **{"If-None-Match": '"1"'}).status_code == 200
        Integration.objects.filter(pk=rocket.pk).update(name=f"Other {path}")
        assert api.get(path, **{"If-None-Match": tag}).status_code == 200


def test_every_response_with_a_draft_has_its_version(api: ApiClient, acme: Any) -> None:
    created = api.post("/drafts", {"program": "nomad", "name": "One", "category": "ci-cd", "description": "It flies."})
    place = f"/drafts/{created.json()['uuid']}"
    changed = api.patch(place, {"offerings": ["Open Source"]}, **{"If-Match": created["ETag"]})
    submitted = api.post(f"{place}/submit", {}, **{"If-Match": changed["ETag"]})
    assert [answer.status_code for answer in (created, changed, submitted)] == [201, 200, 201]
    integration = f"/integrations/{submitted.json()['uuid']}"
    assert api.patch(integration, {"name": "Two"}, **{"If-Match": submitted["ETag"]}).status_code == 200


def test_created_object_has_a_location(api: ApiClient, acme: Any) -> None:
    fields = {"name": "One", "description": "It flies.", "category": "ci-cd", "offerings": ["Open Source"]}
    draft = api.post("/drafts", {"program": "nomad", **fields}, **KEY)
    again = api.post("/drafts", {"program": "nomad", **fields}, **KEY)
    assert (again["Location"], again["Idempotent-Replayed"]) == (draft["Location"], "true")
    place = draft["Location"].removeprefix("http://testserver")
    assert api.get(place).json()["uuid"] == draft.json()["uuid"]
    for _ in range(2):
        response = api.post(f"{place}/submit")
        assert (response.status_code, response["Location"].rpartition("/")[2]) == (201, response.json()["uuid"])
        assert api.get(response["Location"].removeprefix("http://testserver")).status_code == 200


@pytest.mark.every_database
def test_transition_of_an_outdated_version_is_refused(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}"
    read = api.get(place)["ETag"]
    assert api.patch(place, {"name": "New name", "category": "ci-cd"}, **{"If-Match": read}).status_code == 200
    late = api.post(f"{place}/transitions/withdraw", {"note": "No.", "confirm_name": "New name"}, **{"If-Match": read})
    assert get_problem(late) == (412, "precondition-failed")
    now = api.get(place)["ETag"]
    confirmed = {"note": "No.", "confirm_name": "New name"}
    assert api.post(f"{place}/transitions/withdraw", confirmed, **{"If-Match": now}).status_code == 200


def test_operation_on_an_outdated_version_is_refused(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}/requirements/NO-3"
    late = api.post(f"{place}/discard", {}, **{"If-Match": '"7"'})
    assert get_problem(late) == (412, "precondition-failed")
    assert api.post(f"{place}/discard", {}, **{"If-Match": api.get(place)["ETag"]}).status_code == 200


def test_conflict_of_the_current_version_is_no_failed_precondition(alice: Any, rita: Any, rocket: Any) -> None:
    now = timezone.now().replace(second=0, microsecond=0)
    proposal = MeetingProposal((now + timedelta(days=1),), "https://meet.example/1", 45)
    meeting = meetings.propose_times(rocket, "NO-7", proposal, actor=alice, now=now)
    meetings.accept_time(meeting, proposal.times[0], actor=rita, now=now)
    reviewer = create_api_client(add_second_factor(rita))
    place = f"/integrations/{rocket.uuid}/requirements/NO-7"
    read = reviewer.get(place)["ETag"]
    answer = reviewer.post(f"{place}/hold", {"shown": []}, **{"If-Match": read})
    assert (get_problem(answer), answer.json()["detail"]) == ((409, "conflict"), "The meeting has not started yet.")


def test_condition_that_an_operation_does_not_check_is_refused(api: ApiClient, acme: Any) -> None:
    place = f"/partners/{acme.slug}"
    read = api.get(place)["ETag"]
    late = api.patch(place, {"name": "Acme Rockets"}, **{"If-Match": read})
    message = "This operation doesn't support If-Match. Send the request without it."
    assert (late.status_code, late.json()["errors"]) == (422, [{"field": "If-Match", "message": message}])
    assert api.patch(place, {"name": "Acme Rockets"}, **{"If-Match": "*"}).json()["name"] == "Acme Rockets"


def test_response_to_a_token_sets_no_cookie(api: ApiClient, rocket: Any) -> None:
    assert dict(api.get(f"/integrations/{rocket.uuid}").cookies) == {}
