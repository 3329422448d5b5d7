"""The same request twice: the same answer, and the work once. Also when both come at the same moment."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from integrations.submissions.models import IntegrationDraft, ReviewMessage
from integrations.submissions.services import drafts
from portal.api import idempotency
from portal.api.models import IdempotencyRecord
from portal.core import repository_urls
from tests.portal.api.calling import Caller, caller
from tests.portal.api.test_tokens import kind
from verification.checks.services.prefill import prefill

KEY = {"Idempotency-Key": "deploy-4711"}


@pytest.fixture
def mine(alice: Any) -> Caller:
    return caller(alice)


def say(who: Caller, row: Any, body: str = "Hello.", **headers: str) -> Any:
    return who.post(f"/integrations/{row.uuid}/messages", {"body": body}, **(headers or KEY))


def test_same_key_and_body_get_the_first_answer_again(mine: Caller, rocket: Any) -> None:
    first, second = say(mine, rocket), say(mine, rocket)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "Idempotent-Replayed" not in first
    assert second["Idempotent-Replayed"] == "true"
    assert second["Content-Type"] == first["Content-Type"]
    assert rocket.messages.count() == 1


def test_same_key_for_something_else_is_refused(mine: Caller, rocket: Any) -> None:
    say(mine, rocket)
    other = say(mine, rocket, "Something else.")
    assert (other.status_code, kind(other)) == (422, "idempotency-key-reused")
    elsewhere = mine.post("/drafts", {"program": "nomad"}, **KEY)
    assert (elsewhere.status_code, IntegrationDraft.objects.count()) == (422, 0)


def test_key_is_not_asked_about_where_nothing_is_done(mine: Caller, rocket: Any) -> None:
    say(mine, rocket)
    for method in ("PUT", "DELETE", "PATCH"):
        wrong = mine.send(method, f"/integrations/{rocket.uuid}/messages", {"body": "x"}, **KEY)
        assert (wrong.status_code, wrong["Allow"]) == (405, "GET, HEAD, POST")
    assert IdempotencyRecord.objects.count() == 1


def test_keys_of_two_tokens_are_two_keys(mine: Caller, bob: Any, rocket: Any) -> None:
    say(mine, rocket)
    assert "Idempotent-Replayed" not in say(caller(bob), rocket)
    assert rocket.messages.count() == 2


def test_refusal_is_kept_too(mine: Caller, rocket: Any) -> None:
    place = f"/integrations/{rocket.uuid}/steps/approve"
    first, second = mine.post(place, {}, **KEY), mine.post(place, {}, **KEY)
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert first.status_code == 403


def test_while_it_is_worked_on_the_second_is_reported_to_wait(mine: Caller, rocket: Any) -> None:
    say(mine, rocket)
    IdempotencyRecord.objects.update(status=0)
    waiting = say(mine, rocket)
    assert (waiting.status_code, kind(waiting), waiting["Retry-After"]) == (409, "request-in-progress", "1")


def test_work_of_a_process_that_died_is_taken_over(mine: Caller, rocket: Any) -> None:
    say(mine, rocket)
    rocket.messages.all().delete()
    IdempotencyRecord.objects.update(status=0, at=timezone.now() - idempotency.LEASE_DURATION)
    assert say(mine, rocket).status_code == 201
    assert IdempotencyRecord.objects.get().status == 201


def test_after_a_day_a_key_is_new(mine: Caller, rocket: Any) -> None:
    say(mine, rocket)
    IdempotencyRecord.objects.update(at=timezone.now() - idempotency.RETENTION_PERIOD)
    assert idempotency.delete_expired_records() == 1
    assert "Idempotent-Replayed" not in say(mine, rocket)


def test_fault_of_ours_is_not_kept(mine: Caller, rocket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_error(*_: Any, **__: Any) -> None:
        rocket.messages.create(body="Half done.", at=timezone.now())
        raise RuntimeError("no")

    with monkeypatch.context() as patch:
        patch.setattr("portal.api.v1.integrations.findings.post_message", raise_error)
        assert say(mine, rocket).status_code == 500
    assert (IdempotencyRecord.objects.count(), ReviewMessage.objects.count()) == (0, 0)
    assert say(mine, rocket).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 129, "naïve"])
def test_odd_key_is_refused(mine: Caller, rocket: Any, key: str) -> None:
    answer = say(mine, rocket, **{"Idempotency-Key": key})
    assert (answer.status_code, rocket.messages.count()) == (422, 0)


@pytest.mark.django_db(transaction=True)
def test_eight_at_the_same_moment_do_it_once(mine: Caller, rocket: Any) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("needs a server that has several writers")
    gate, answers = threading.Barrier(8), []

    def ask() -> None:
        gate.wait()
        answer = say(Caller(mine.secret), rocket)
        answers.append((answer.status_code, answer.content))
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rocket.messages.count() == 1
    assert {status for status, _ in answers} <= {201, 409}
    assert len({body for status, body in answers if status == 201}) == 1


def test_forgotten_after_a_day_only(mine: Caller, rocket: Any) -> None:
    say(mine, rocket)
    assert idempotency.delete_expired_records(timezone.now() + timedelta(hours=23)) == 0


@pytest.fixture
def asked_within() -> Iterator[list[bool]]:
    """Whether a transaction was open each time that GitHub would have been asked."""
    atomic_flags: list[bool] = []
    before = list(repository_urls._readers)

    def reader(address: str) -> dict[str, Any]:
        atomic_flags.append(connection.in_atomic_block)
        return prefill("")

    repository_urls.register_reader(reader)
    yield atomic_flags
    repository_urls._readers[:] = before


@pytest.mark.django_db(transaction=True)
def test_nothing_is_locked_while_github_is_asked(mine: Caller, acme: Any, alice: Any, asked_within: list[bool]) -> None:
    draft = drafts.create_draft(acme, "nomad", actor=alice, now=timezone.now())
    place = f"/drafts/{draft.uuid}/prefill"
    first, second = mine.post(place, **KEY), mine.post(place, **KEY)
    assert (first.status_code, asked_within) == (200, [False])
    assert (second.content, second["Idempotent-Replayed"]) == (first.content, "true")
    assert first.json()["note"] == prefill("")["error"] != ""
