"""D1–D10 of the failure catalogue, as far as the door decides them; what is read is in test_reading."""

import hashlib
import hmac
import json
import os
import random
import resource
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from integrations.partners.models import Partner
from integrations.sla.github import delivery_processing, webhook_intake
from integrations.sla.models import Delivery, Watch
from integrations.sla.services import monitoring
from tests.conftest import NOW
from tests.fakes.github.tracker import Hooked, Tracker
from tests.integrations.sla.watched import OPENED, REPORTER, SECRET, post, supported, tracker_of, watch_over


@pytest.fixture
def watch(acme: Partner) -> Watch:
    return watch_over(supported(acme))


@pytest.fixture
def opened(watch: Watch) -> Hooked:
    tracker = tracker_of(watch)
    tracker.open(REPORTER, "It crashes", OPENED)
    return tracker.hooked[0]


def kept(watch: Watch) -> list[str]:
    return list(Delivery.objects.filter(watch=watch).order_by("pk").values_list("delivery_id", flat=True))


def test_d1_a_delivery_that_comes_a_hundred_times_is_one_row(watch, opened):
    assert [post(watch, opened) for _ in range(100)] == [202] * 100
    assert kept(watch) == [opened.id]


def test_delivery_is_kept_as_it_came_with_two_statements_at_most(watch, opened, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        assert post(watch, opened) == 202
    with django_assert_max_num_queries(1):
        assert post(watch, replace(opened, id="another")) == 202
    row = Delivery.objects.get(delivery_id=opened.id)
    assert (bytes(row.body), row.event, row.read_at, row.attempts, row.outcome) == (opened.body, "issues", None, 0, "")
    assert row.digest == hashlib.sha256(opened.body).hexdigest()


def test_number_of_the_hook_is_learnt_from_any_delivery_until_a_ping_tells_it(watch, opened):
    post(watch, opened, **{"X-GitHub-Hook-ID": "no number"})
    watch.refresh_from_db()
    assert watch.hook_id is None
    post(watch, replace(opened, id="another"), **{"X-GitHub-Hook-ID": "78"})
    post(watch, replace(opened, id="a-third"), **{"X-GitHub-Hook-ID": "79"})
    watch.refresh_from_db()
    assert watch.hook_id == 78
    post(watch, tracker_of(watch).ping(), **{"X-GitHub-Hook-ID": "80"})
    delivery_processing.read_due(NOW)
    watch.refresh_from_db()
    assert watch.hook_id == 77


def test_d4_forgeries_leave_nothing_but_a_counter(watch, opened):
    rng, url, kinds = random.Random(4), f"/hooks/github/{watch.uuid}/", []
    good = opened.headers(SECRET)
    client = Client()
    for _ in range(60):
        body, headers = bytearray(opened.body), dict(good)
        if rng.random() < 0.5:
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        else:
            signature = list(headers["X-Hub-Signature-256"])
            place = rng.randrange(len(signature))
            signature[place] = rng.choice([c for c in "0123456789abcdefé=" if c != signature[place]])
            headers["X-Hub-Signature-256"] = "".join(signature).encode().decode("latin-1")
        kinds.append(client.post(url, bytes(body), "application/json", headers=headers).status_code)
    assert (set(kinds), kept(watch)) == ({401}, [])
    watch.refresh_from_db()
    assert watch.refused >= 1


def test_d4_signing_mutations_are_never_accepted():
    rng, body, key = random.Random(5), b'{"zen": "Design for failure."}', b"key"
    good = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
    assert webhook_intake.is_signed(body, good, (b"another", key))
    for _ in range(10_000):
        place = rng.randrange(len(good))
        forged = good[:place] + rng.choice([c for c in "0123456789abcdef" if c != good[place]]) + good[place + 1 :]
        assert not webhook_intake.is_signed(body, forged, (key,))
    assert not any(
        webhook_intake.is_signed(body, s, (key,)) for s in ("", "sha256=", good[7:], good.upper(), good + " ")
    )


def test_d4_no_signature_sha1_alone_or_another_secret_is_refused(watch, opened):
    sha1 = "sha1=" + hmac.new(SECRET.encode(), opened.body, hashlib.sha1).hexdigest()
    assert post(watch, opened, **{"X-Hub-Signature-256": ""}) == 401
    assert post(watch, opened, **{"X-Hub-Signature-256": "", "X-Hub-Signature": sha1}) == 401
    assert post(watch, opened, secret="another") == 401
    assert kept(watch) == []


def test_d5_another_partners_repository_is_refused_each_with_its_own_secret(acme, opened, watch):
    other = supported(acme, "Other", repository="acme/other", repository_id=4712)
    second = watch_over(other, secret="second")
    foreign = Tracker("acme/other", 4712)
    foreign.open(REPORTER, "Elsewhere", OPENED)
    assert post(watch, foreign.hooked[0], SECRET) == 403
    assert post(second, foreign.hooked[0], SECRET) == 401
    assert post(second, opened, "second") == 403
    assert post(second, foreign.hooked[0], "second") == 202
    assert (kept(watch), kept(second)) == ([], [foreign.hooked[0].id])


def test_d6_bodies_that_are_too_large_or_of_another_kind_are_refused(watch, opened):
    url, headers = f"/hooks/github/{watch.uuid}/", opened.headers(SECRET)

    def answer(kind: str, **more: str) -> int:
        return Client().post(url, opened.body, kind, headers=headers, **more).status_code

    assert (
        Client().post(url, b"x" * (webhook_intake.MOST_BYTES + 1), "application/json", headers=headers).status_code
        == 413
    )
    lengths = ("", "²", "9" * 12, "9" * 5000)
    assert [answer("application/json", CONTENT_LENGTH=text) for text in lengths] == [411, 411, 413, 413]
    assert answer("application/x-www-form-urlencoded") == 415
    assert answer("application/json; charset=utf-16") == 415
    assert answer("application/json", HTTP_CONTENT_ENCODING="gzip") == 415
    assert answer("application/json; charset=utf-8") == 202


def test_d6_a_body_of_two_megabytes_and_more_is_taken(watch):
    tracker = tracker_of(watch)
    tracker.open(REPORTER, "Long", OPENED, body="x" * 3_000_000)
    assert post(watch, tracker.hooked[0]) == 202


@pytest.mark.parametrize(
    "body",
    [
        b" ", b"[" * 100_000, b"nonsense", b"[]", b"null", b'"text"', b'{"a": ' * 50_000, b"\xff\xfe",
        b'{"repository": []}', b'{"repository": {"id": "x"}}', b'{"repository": {"id": true}}',
    ],
)  # fmt: skip
def test_d6_signed_nonsense_is_refused_without_an_error(watch, body):
    assert post(watch, Hooked("n", "issues", body)) in {400, 403}
    assert kept(watch) == []


def mutant(rng: random.Random, body: bytes) -> bytes:
    """A payload with one to five things wrong: bytes, cut short, or parts of another type, as deep as they are."""
    if rng.random() < 0.3:
        torn = bytearray(body)
        for _ in range(rng.randrange(1, 6)):
            torn[rng.randrange(len(torn))] = rng.randrange(256)
        return bytes(torn[: rng.randrange(1, len(torn))]) if rng.random() < 0.3 else bytes(torn)
    payload = json.loads(body)
    odd = (None, [], {}, -1, 10**30, True, "", "x" * 5000, "\u0000", "\ud800", [[[]]], {"id": {}}, 1e308)
    for _ in range(rng.randrange(1, 6)):
        place = payload
        while True:
            key = rng.choice(list(place))
            if not (isinstance(place[key], dict) and place[key] and rng.random() < 0.7):
                break
            place = place[key]
        place[key] = rng.choice(odd)
    return json.dumps(payload).encode()


def test_d6_no_body_breaks_the_door_or_the_reader_and_none_of_it_stays_in_memory(watch, caplog):
    """FUZZ_BODIES=2000 for the long form."""
    rng, tracker, statuses = random.Random(6), tracker_of(watch), []
    number = tracker.open(REPORTER, "It crashes", OPENED)
    tracker.comment(number, REPORTER, "Again", OPENED)
    webhook_intake.BURST, kept_burst = 1e9, webhook_intake.BURST
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for n in range(int(os.environ.get("FUZZ_BODIES", "200"))):
        hooked = rng.choice(tracker.hooked)
        statuses.append(post(watch, Hooked(str(n), hooked.event, mutant(rng, hooked.body))))
    webhook_intake.BURST = kept_burst
    delivery_processing.read_due(NOW)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (set(statuses) <= {202, 400, 403, 429}, statuses.count(202) > 40, grown < 50) == (True, True, True), grown
    assert Delivery.objects.filter(read_at=None).count() == 0
    assert Delivery.objects.filter(outcome="failed").count() == 0
    assert "failed together" not in caplog.text


def test_bodies_are_emptied_after_a_week_and_known_when_they_come_again(watch, opened):
    assert post(watch, opened) == 202
    then = NOW + timedelta(days=8)
    assert webhook_intake.forget_bodies(then) == 0  # nobody has read it
    Delivery.objects.update(received_at=NOW)
    delivery_processing.read_due(NOW)
    assert [webhook_intake.forget_bodies(NOW + timedelta(days=7)), webhook_intake.forget_bodies(then)] == [0, 1]
    row = Delivery.objects.get()
    assert (bytes(row.body), row.digest, row.outcome, row.forgotten_at) == (
        b"", hashlib.sha256(opened.body).hexdigest(), "read", then,
    )  # fmt: skip
    post(watch, replace(opened, id="again"))
    delivery_processing.read_due(then)
    assert Delivery.objects.get(delivery_id="again").outcome == "replay"
    assert webhook_intake.forget_bodies(then) == 0


@pytest.mark.parametrize(
    "headers", [{"X-GitHub-Delivery": ""}, {"X-GitHub-Event": ""}, {"X-GitHub-Delivery": "x" * 81}]
)
def test_delivery_without_its_headers_is_refused(watch, opened, headers):
    assert post(watch, opened, **headers) == 400


def test_d8_flood_of_one_watch_is_turned_away_and_others_are_not(watch, opened, monkeypatch):
    monkeypatch.setattr(webhook_intake, "PER_SECOND", 0.0)
    monkeypatch.setattr(webhook_intake, "BURST", 5.0)
    found = [post(watch, replace(opened, id=f"flood-{n}")) for n in range(8)]
    assert found == [202] * 5 + [429] * 3
    assert len(kept(watch)) == 5


def test_d8_forgeries_use_up_nobodys_room(watch, opened, monkeypatch):
    monkeypatch.setattr(webhook_intake, "PER_SECOND", 0.0)
    monkeypatch.setattr(webhook_intake, "BURST", 2.0)
    assert [post(watch, opened, secret="wrong") for _ in range(5)] == [401] * 5
    assert post(watch, opened) == 202


def test_d9_after_rotation_both_secrets_count_for_a_day(watch, opened):
    fresh = monitoring.rotate(watch, NOW).value
    webhook_intake.forget(watch.uuid)

    def both() -> tuple[int, int]:
        return post(watch, opened, SECRET), post(watch, opened, fresh)

    with time_machine.travel(NOW + timedelta(hours=23, minutes=59), tick=False):
        assert both() == (202, 202)
    with time_machine.travel(NOW + timedelta(hours=24), tick=False):
        assert both() == (401, 202)


def test_d10_ping_and_unknown_events_are_kept(watch):
    tracker = tracker_of(watch)
    unknown = Hooked("u", "sponsorship", json.dumps({"repository": tracker.repository()}).encode())
    assert [post(watch, tracker.ping()), post(watch, unknown)] == [202, 202]


def test_hook_that_is_not_there_or_has_ended_answers_so(watch, opened):
    missing = f"/hooks/github/{watch.integration.uuid}/"
    sent = opened.headers(SECRET)
    assert Client().post(missing, opened.body, "application/json", headers=sent).status_code == 404
    monitoring.end(watch.integration, NOW)
    webhook_intake.forget(watch.uuid)
    assert post(watch, opened) == 404


def test_hook_is_only_for_posting(watch):
    assert Client().get(f"/hooks/github/{watch.uuid}/").status_code == 405


def test_secret_is_kept_sealed_and_shown_once(watch, alice, sign_in):
    page = f"/integrations/{watch.integration.uuid}/watch/"
    client = sign_in(alice)
    shown = client.get(page)
    after = shown.context["after"]
    made = client.post(page, {"after": after})
    secret = made.context["secret"]
    assert (len(secret), secret in made.text, secret in client.get(page).text) == (64, True, False)
    watch.refresh_from_db()
    assert secret.encode() not in bytes(watch.secret)
    again = client.post(page, {"after": after})
    assert (again.status_code, again["Location"]) == (302, page)
    assert monitoring.keys(watch).current == secret.encode()


def test_page_says_what_has_not_come_yet(watch, alice, charlie, sign_in):
    page = f"/integrations/{watch.integration.uuid}/watch/"
    text = " ".join(sign_in(alice).get(page).text.split())
    assert "No delivery seen yet; we read every 5 minutes instead." in text
    assert f"/hooks/github/{watch.uuid}/" in text
    assert sign_in(charlie).get(page).status_code == 404
