"""Tests of the middleware for redirects of htmx requests."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("headers", "status", "header"),
    [({}, 302, "Location"), ({"HX-Request": "true", "HX-Target": "workspace"}, 200, "HX-Redirect")],
)
def test_htmx_opens_the_sign_in_page_as_a_page(
    client: Any, rocket: Any, headers: dict[str, str], status: int, header: str
) -> None:
    response = client.get(f"/integrations/{rocket.uuid}/", headers=headers)
    assert (response.status_code, response.headers[header].split("?")[0]) == (status, "/accounts/login/")
