"""Pages of requests that can't be read."""

from typing import Any

import pytest

MEGABYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("data", "status", "text"),
    [
        ({"name": "x" * 3 * MEGABYTE}, 413, "shorten the text"),
        ({f"field{number}": "" for number in range(301)}, 400, "the form has too many fields"),
    ],
)
def test_form_that_is_too_large_says_what_to_do(
    sign_in: Any, alice: Any, data: dict[str, str], status: int, text: str
) -> None:
    answer = sign_in(alice).post("/profile/", data)
    assert (answer.status_code, text in answer.text) == (status, True)
