"""API tokens on the page of a person."""

from collections.abc import Callable
from typing import Any

import pytest

from portal.api.models import ApiToken
from tests.conftest import PASSWORD
from tests.journeys.person import Person


@pytest.mark.parametrize("javascript", [True, False])
def test_new_token_is_shown_once_and_created_once(
    visit: Callable[..., Person], alice: Any, acme: Any, javascript: bool
) -> None:
    person = visit(alice, javascript=javascript).go("/profile/tokens/")
    person.write("Name", "ci").tick("Read partners and their members").press("Create token")
    person.write("Password", PASSWORD).press("Continue").sees("Copy this token now", "ptl_")
    person.go(person.page.url).sees("We show a token only once.", "Active tokens")
    person.does_not_see("Copy this token now")
    assert [token.name for token in ApiToken.objects.all()] == ["ci"]
