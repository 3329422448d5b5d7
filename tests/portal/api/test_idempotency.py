"""Tests that repeated requests get the same answer but are executed once, even if they are concurrent."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from integrations.partners.services import members
from integrations.sla.models import SupportIssueEvent
from integrations.submissions.models import IntegrationDraft, ReviewMessage
from integrations.submissions.services import drafts
from portal.api import idempotency
from portal.api.models import IdempotencyRecord
from portal.api.routing import METHODS_BY_OPERATION
from portal.core import repository_urls
from tests.portal.api.client import ApiClient, create_api_client
from tests.portal.api.test_tokens import get_problem_type
from verification.checks.services.prefill import prefill

KEY = {"Idempotency-Key": "deploy-4711"}


@pytest.fixture
def api(alice: Any) -> ApiClient:
    return create_api_client(alice)


def send_message(who: ApiClient, row: Any, body: str = "Hello.", **headers: str) -> Any:
    return who.post(f"/integrations/{row.uuid}/messages", {"body": body}, **(headers or KEY))


def test_same_key_and_body_get_the_first_answer_again(api: ApiClient, rocket: Any) -> None:
    first = send_message(api, rocket)
    second = send_message(api, rocket)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "Idempotent-Replayed" not in first
    assert second["Idempotent-Replayed"] == "true"
    assert second["Content-Type"] == first["Content-Type"]
    assert rocket.messages.count() == 1


def test_same_key_for_something_else_is_refused(api: ApiClient, rocket: Any) -> None:
    send_message(api, rocket)
    other = send_message(api, rocket, "Something else.")
    assert (other.status_code, get_problem_type(other)) == (422, "idempotency-key-reused")
    elsewhere = api.post("/drafts", {"program": "nomad"}, **KEY)
    assert (elsewhere.status_code, IntegrationDraft.objects.count()) == (422, 0)


def test_key_is_ignored_by_reads(api: ApiClient, rocket: Any) -> None:
    send_message(api, rocket)
    for method in ("PUT", "DELETE", "PATCH"):
        wrong = api.send(method, f"/integrations/{rocket.uuid}/messages", {"body": "x"}, **KEY)
        assert (wrong.status_code, wrong["Allow"]) == (405, "GET, HEAD, POST")
    assert IdempotencyRecord.objects.count() == 1


def test_keys_of_two_tokens_are_independent(api: ApiClient, bob: Any, rocket: Any) -> None:
    send_message(api, rocket)
    assert "Idempotent-Replayed" not in send_message(create_api_client(bob), rocket)
    assert rocket.messages.count() == 2


def test_refusal_is_stored_too(api: ApiClient, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}/transitions/approve"
    first = api.post(place, {}, **KEY)
    second = api.post(place, {}, **KEY)
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert first.status_code == 403


def test_second_request_during_the_first_must_be_retried(api: ApiClient, rocket: Any) -> None:
    send_message(api, rocket)
    IdempotencyRecord.objects.update(status=0)
    waiting = send_message(api, rocket)
    assert (waiting.status_code, get_problem_type(waiting), waiting["Retry-After"]) == (409, "request-in-progress", "1")


def test_request_of_a_dead_process_is_repeated(api: ApiClient, rocket: Any) -> None:
    send_message(api, rocket)
    rocket.messages.all().delete()
    IdempotencyRecord.objects.update(status=0, at=timezone.now() - idempotency.LEASE_DURATION)
    assert send_message(api, rocket).status_code == 201
    assert IdempotencyRecord.objects.get().status == 201


def test_key_expires_after_a_day(api: ApiClient, rocket: Any) -> None:
    send_message(api, rocket)
    IdempotencyRecord.objects.update(at=timezone.now() - idempotency.RETENTION_PERIOD)
    assert idempotency.delete_expired_records() == 1
    assert "Idempotent-Replayed" not in send_message(api, rocket)


def test_server_error_is_not_stored(api: ApiClient, rocket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_error(*_: Any, **__: Any) -> None:
        rocket.messages.create(body="Half done.", at=timezone.now())
        raise RuntimeError("no")

    with monkeypatch.context() as patch:
        patch.setattr("portal.api.v1.integrations.findings.post_message", raise_error)
        assert send_message(api, rocket).status_code == 500
    assert (IdempotencyRecord.objects.count(), ReviewMessage.objects.count()) == (0, 0)
    assert send_message(api, rocket).status_code == 201


def test_limit_that_ends_is_not_stored(api: ApiClient, acme: Any, alice: Any, time_machine: Any) -> None:
    now = timezone.now()
    for number in range(50):
        members.create_invitation(acme, f"p{number}@acme.example", "viewer", actor=alice, now=now)
    body = {"email": "late@acme.example", "role": "viewer"}
    time_machine.move_to(now + timedelta(hours=1), tick=False)
    refusal = api.post("/partners/acme/invitations", body, **KEY)
    assert (refusal.status_code, get_problem_type(refusal), refusal["Retry-After"]) == (429, "rate-limited", "82800")
    time_machine.move_to(now + timedelta(days=1), tick=False)
    assert api.post("/partners/acme/invitations", body, **KEY).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 129, "naïve"])
def test_invalid_key_is_refused(api: ApiClient, rocket: Any, key: str) -> None:
    answer = send_message(api, rocket, **{"Idempotency-Key": key})
    assert (answer.status_code, rocket.messages.count()) == (422, 0)


@pytest.mark.django_db(transaction=True)
def test_eight_concurrent_requests_are_executed_once(api: ApiClient, rocket: Any) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("needs a server that has several writers")
    gate = threading.Barrier(8)
    answers = []

    def send_request() -> None:
        gate.wait()
        answer = send_message(ApiClient(api.secret), rocket)
        answers.append((answer.status_code, answer.content))
        connections.close_all()

    threads = [threading.Thread(target=send_request) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rocket.messages.count() == 1
    assert {status for status, _ in answers} <= {201, 409}
    assert len({body for status, body in answers if status == 201}) == 1


def test_keys_are_deleted_after_a_day_only(api: ApiClient, rocket: Any) -> None:
    send_message(api, rocket)
    assert idempotency.delete_expired_records(timezone.now() + timedelta(hours=23)) == 0


def test_only_these_writes_run_without_a_transaction() -> None:
    methods = {name: METHODS_BY_OPERATION[name] for name in idempotency.NON_ATOMIC_OPERATIONS}
    assert methods == {"change_integration": "PATCH", "prefill_draft": "POST", "propose_label_policy": "POST"}


@pytest.fixture
def atomic_flags() -> Iterator[list[bool]]:
    """Collect, for each request to GitHub, whether a transaction was open."""
    atomic_flags: list[bool] = []
    before = list(repository_urls._readers)

    def reader(address: str) -> dict[str, Any]:
        atomic_flags.append(connection.in_atomic_block)
        return prefill("")

    repository_urls.register_reader(reader)
    yield atomic_flags
    repository_urls._readers[:] = before


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_during_requests_to_github(
    api: ApiClient, acme: Any, alice: Any, atomic_flags: list[bool]
) -> None:
    draft = drafts.create_draft(acme, "nomad", actor=alice, now=timezone.now())
    place = f"/drafts/{draft.uuid}/prefill"
    first = api.post(place, **KEY)
    second = api.post(place, **KEY)
    assert (first.status_code, atomic_flags) == (200, [False])
    assert (second.content, second["Idempotent-Replayed"]) == (first.content, "true")
    assert first.json()["note"] == prefill("")["note"] != ""


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_during_the_lookup_of_accounts(api: ApiClient, rocket: Any, settings: Any) -> None:
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    atomic_flags: list[bool] = []

    def record_lookup(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith("SELECT") and SupportIssueEvent._meta.db_table in sql:
            atomic_flags.append(connection.in_atomic_block)
        return execute(sql, *arguments)

    with connection.execute_wrapper(record_lookup):
        answer = api.post(
            f"/integrations/{rocket.uuid}/label-policy", {"critical": ["bug"], "team": ["octocat"]}, **KEY
        )
    assert (get_problem_type(answer), atomic_flags) == ("validation-error", [False])


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_a_new_repository_is_read(
    api: ApiClient, rocket: Any, atomic_flags: list[bool]
) -> None:
    details = {"name": "Rocket", "description": "It flies.", "category": "ci-cd", "offerings": ["Open Source"]}
    changes = details | {"repository_address": "acme/nomad-driver-other"}
    assert api.patch(f"/integrations/{rocket.uuid}", changes, **KEY).status_code == 200
    assert atomic_flags == [False]
