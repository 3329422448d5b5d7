"""Compares the response of every operation for each role with access_api.txt.

`reader` is a token of Alice that can only read integrations, `ci` one of Acme. A `+` means that an event was recorded,
a `!` that reading took too many queries.
"""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.portal.api.client import ApiClient, add_second_factor, create_api_client
from tests.portal.api.operations import ROLES, build_body, build_operation_url, list_operations
from tests.portal.rollback_requests import MAX_QUERIES, roll_back, serialize_response as close

TABLE = Path(__file__).with_name("access_api.txt")
UPLOAD_FIELDS = {
    "upload_schema": {"version": "1.6.0"},
    "requirement_upload": {},
    "requirement_upload_agreement": {"signer": "A", "title": "CEO", "digest": "0" * 64},
}


def create_clients_by_role(world: dict[str, Any]) -> dict[str, ApiClient]:
    users = world["users"]
    for name in ("rita", "rob", "sam", "vic", "mona", "audrey"):
        add_second_factor(users[name])
    people = {name: create_api_client(users[name]) for name in ROLES if users.get(name)}
    return people | {
        "anonymous": ApiClient(),
        "ci": create_api_client(users["alice"], partner=world["partner"]),
        "reader": create_api_client(users["alice"], ["integrations:read"]),
    }


def request_code(who: ApiClient, name: str, method: str, place: str, body: Any) -> str:
    """Return the code of a request. Its changes are rolled back."""
    with roll_back() as attempt:
        if name in UPLOAD_FIELDS:
            file = SimpleUploadedFile("a.txt", b"All tests passed.")
            answer = who.upload(place.removeprefix("/api/v1"), file=file, **UPLOAD_FIELDS[name])
        else:
            answer = who.get(place) if method == "GET" else who.send(method, place, body)
        close(answer)
    query_mark = "!" if method == "GET" and len(attempt.queries) > MAX_QUERIES else ""
    return f"{answer.status_code}{'+' if attempt.has_event else ''}{query_mark}"


def build_access_table(world: dict[str, Any]) -> dict[str, list[str]]:
    people = create_clients_by_role(world)
    table = {}
    for name, method, path in sorted(list_operations()):
        place = build_operation_url(name, path, world)
        body = build_body(name, world)
        table[name] = [request_code(people[role], name, method, place, body) for role in ROLES]
    return table


def read_access_table() -> dict[str, list[str]]:
    lines = [line.split() for line in TABLE.read_text("utf-8").splitlines() if line.strip() and line[0] != "#"]
    return {line[0]: line[1:] for line in lines}


def format_access_table(lines: dict[str, list[str]]) -> str:
    return "\n".join(f"{name:28}" + "".join(f"{cell:6}" for cell in cells).rstrip() for name, cells in lines.items())


@pytest.fixture(autouse=True)
def disable_limits(settings: Any) -> None:
    settings.API_REQUESTS_PER_MINUTE = 100_000


@pytest.fixture(autouse=True)
def use_public_address(settings: Any) -> None:
    """Run task tests need an address to which the endpoint can send its results."""
    settings.SITE_URL = "https://portal.acme.io"


@pytest.mark.any_database
def test_api_access_matches_the_table(world: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a line for a new operation after deciding who may call it."""
    monkeypatch.setattr("portal.api.throttling.ANONYMOUS_REQUESTS_PER_MINUTE", 100_000)
    now = build_access_table(world)
    table = read_access_table()
    differing = {name: cells for name, cells in now.items() if table.get(name) != cells}
    missing_names = sorted(set(table) - set(now))
    assert (differing, missing_names) == ({}, []), f"\n{format_access_table(differing)}\nGone: {missing_names}"
    assert not [name for name, cells in now.items() if any(cell.startswith("5") for cell in cells)]
