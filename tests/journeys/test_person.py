"""A journey notices the errors of its pages."""

from collections.abc import Callable

import pytest

from tests.journeys.person import Person


def test_server_error_fails_the_journey(visit: Callable[..., Person]) -> None:
    person = visit()
    person.audits = False
    person.page.route("**/help/", lambda route: route.fulfill(status=503, body="Unavailable"))
    with pytest.raises(AssertionError, match="status of 503"):
        person.go("/help/")
