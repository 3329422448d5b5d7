"""Tests of invalid input: a clear response, no lost data, no status 500."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models.signals import pre_save
from django.test import Client
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.portal.button_requests import list_button_requests
from tests.portal.page_urls import build_url, list_page_names
from tests.portal.rollback_requests import create_client, send_request
from tests.portal.sample_objects import ACCOUNTS, LOGS

pytestmark = pytest.mark.any_database

# role that presses a button, by the beginning of its label; alice presses all others
ROLES = {
    "reviews:answer_finding": "alice",
    "reviews:post_message": "alice",
    "reviews:transition: decline": "rita",
    "reviews:transition": "alice",
    "reviews:": "rita",
}
# the fifth is as long as an address that gunicorn accepts
HOSTILE_TEXTS = ["a\x00b", "\u202e\u2028", "\r\nBcc: x@y.example", "<script>alert(1)</script>", "x" * 4_000, "9" * 400]
ROUNDS = {"anonymous": 1, "alice": 2, "rita": 2}
# the fourth is longer than the limit of any text, and a number larger than any column
FIELD_TEXTS: list[Any] = ["a\x00b", "\r\nBcc: \u202e", ["a", "b"], "9" * 4_200, []]
PARAMETERS = (
    "page",
    "q",
    "edition",
    "program",
    "stage",
    "category",
    "responsible_party",
    "listing_status",
    "sort",
    "tab",
    "tier",
    "next",
    "yes",
    "partner",
    "name",
    "requirement",
    "check",
    "state",
    "to",
    "note",
    "repository_address",
    "age",
    "queue_query",
)
quick_settings = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


def get_role_of_button(label: str) -> str:
    return next((role for begin, role in ROLES.items() if label.startswith(begin)), "alice")


@pytest.fixture(autouse=True)
def refuse_like_postgresql(db: None) -> Iterator[None]:
    """Refuse what PostgreSQL refuses but SQLite accepts: NUL in a text, and texts longer than their column."""

    def no_nul(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        if any("\x00" in each or "\\u0000" in each for each in params or () if isinstance(each, str)):
            raise ValueError(f"NUL reaches the database: {sql}")
        return execute(sql, params, many, context)

    def no_long_text(sender: Any, instance: Any, **_: Any) -> None:
        for field in sender._meta.concrete_fields:
            value = getattr(instance, field.attname)
            if isinstance(value, str) and field.max_length and len(value) > field.max_length:
                raise ValueError(f"{field} is too long")

    pre_save.connect(no_long_text)
    with connection.execute_wrapper(no_nul):
        yield
    pre_save.disconnect(no_long_text)


@pytest.fixture
def clients(users: Any) -> dict[str, Client]:
    return {role: create_client(users[role]) for role in ("alice", "rita")}


@pytest.mark.parametrize("role", ROUNDS)
def test_bad_url_parameters_break_no_page(users: Any, world: Any, role: str) -> None:
    client = create_client(users[role])
    failures = []
    for name in sorted(list_page_names()):
        url = build_url(name, world)
        for first in range(ROUNDS[role]):
            code, _ = send_request(client, f"{url}?{'&'.join(list_bad_parameters(first))}")
            if code.startswith("5"):
                failures.append(f"{name}, round {first}")
            if code == "in":
                break
    assert failures == []


def list_bad_parameters(first: int) -> Iterator[str]:
    """Yield each parameter with a different text, so that a refused one doesn't hide the others."""
    for place, key in enumerate(PARAMETERS):
        yield f"{key}={quote_text(HOSTILE_TEXTS[(place + first) % len(HOSTILE_TEXTS)])}"


def quote_text(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"))


def test_bad_field_values_break_no_page(clients: Any, world: Any) -> None:
    """Each field of each button gets each text, then two values, then none."""
    failures = []
    for label, (url, fields) in list_button_requests(world).items():
        for key in fields:
            for value in FIELD_TEXTS:
                code, _ = send_request(clients[get_role_of_button(label)], url, {**fields, key: value, "unknown": "x"})
                if code.startswith("5"):
                    failures.append(f"{label}, {key}: {str(value)[:20]!r}")
    assert failures == []


texts = st.text(st.characters(), max_size=60).map(
    lambda text: text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
)


@quick_settings
@given(text=texts)
def test_any_text_is_saved_or_refused_with_field_error(clients: Any, world: Any, text: str) -> None:
    """The details of an integration are saved, or the form is shown again with an error and the entered text."""
    url = build_url("submissions:edit", world)
    fields = {
        "name": "Rocket",
        "description": text,
        "category": "ci-cd",
        "offerings": ["Open Source"],
        "homepage": text,
    }
    code, page = send_request(clients["alice"], url, fields | {"repository_address": text})
    assert code in ("302", "302+", "422")
    if code == "422":
        read = BeautifulSoup(page, "html5lib")
        assert read.select(".field .error, .errorlist, [aria-invalid=true]")
        assert read.select_one("[name=name]")["value"] == "Rocket"


UPLOADS = {
    "program named .pdf": ("a.pdf", b"MZ\x90\x00" + b"\x00" * 60, 422),
    "page named .txt": ("a.txt", b"<!doctype html><script>alert(1)</script>", None),
    "page named .png": ("a.png", b"<html><body>hi</body></html>", None),
    "nothing": ("a.txt", b"", 422),
    "bytes named .txt": ("a.txt", bytes(range(256)), 422),
    "a path for a name": ("../../../etc/passwd.txt", b"All tests passed.", 302),
    "lines in a name": ("a\r\nSet-Cookie: x=1\u202e.txt", b"All tests passed.", 302),
    "a very long name": ("x" * 240 + ".txt", b"All tests passed.", 302),
    "a broken archive": ("a.zip", b"PK\x03\x04" + b"\xff" * 40, 422),
}


def build_zip_bomb() -> bytes:
    """Return a small archive that claims to contain 4 GB."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"0" * 1_000_000)
    output = buffer.getvalue()
    return output.replace((1_000_000).to_bytes(4, "little"), (4_000_000_000).to_bytes(4, "little"))


@pytest.mark.parametrize("what", [*UPLOADS, "a bomb"])
def test_file_is_accepted_or_refused_with_field_error(clients: Any, world: Any, what: str) -> None:
    name, content, expected_status = UPLOADS.get(what, ("a.zip", b"", 422))
    file = SimpleUploadedFile("x", content or (build_zip_bomb() if what == "a bomb" else b""))
    file._name = name  # as a hostile browser sends it
    url = build_url("submissions:requirement", world, requirement_id=LOGS)
    answer = clients["alice"].post(url, {"action": "upload", "file": file})
    assert answer.status_code in ((expected_status,) if expected_status else (302, 422))
    if answer.status_code == 422:
        assert BeautifulSoup(answer.content, "html5lib").select_one(".field .error, .errorlist") is not None
    summary = world["integration"].fulfillments.get(requirement_id=LOGS).summary
    assert not {"/", "\n", "\r", "\u202e"} & set(summary)


def test_file_that_is_too_large_is_shown_as_field_error(clients: Any, world: Any, settings: Any) -> None:
    settings.UPLOAD_MAX_MB = 0.01
    file = SimpleUploadedFile("log.txt", b"ok\n" * 10_000)
    answer = clients["alice"].post(
        build_url("submissions:requirement", world, requirement_id=LOGS), {"action": "upload", "file": file}
    )
    assert (answer.status_code, "larger than" in answer.text) == (422, True)


def test_refused_form_is_shown_again_without_the_secret(clients: Any, world: Any) -> None:
    url = build_url("submissions:requirement", world, requirement_id=ACCOUNTS)
    form_data = {"action": "add", "uuid": "nonsense", "label": "Tenant of the test", "secret": "hunter2-hunter2"}
    code, page = send_request(clients["alice"], url, form_data)
    assert (code, "Tenant of the test" in page, "hunter2" in page) == ("422", True, False)


@pytest.mark.parametrize(
    "label",
    [
        "reviews:post_message: a message",
        "reviews:raise_finding: on a form",
        "submissions:requirement: sign",
        "reviews:transition: decline",
    ],
)
def test_button_pressed_twice_is_not_an_error(clients: Any, world: Any, label: str) -> None:
    url, fields = list_button_requests(world)[label]
    answers = [clients[get_role_of_button(label)].post(url, fields) for _ in range(2)]
    assert [answer.status_code < 500 for answer in answers] == [True, True]
