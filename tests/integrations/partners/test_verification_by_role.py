"""Tests of the verification of a company by its owner's role in the GitHub organization."""

from datetime import datetime
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.partners.services import verification
from portal.core.errors import ActionRefused
from tests.fakes.github.server import GitHub
from tests.integrations.page_text import find_text
from tests.integrations.partners.test_verification import PAGE, SignIn, erin, get_state, initech
from tests.portal.github_access.conftest import Connect, connect, github_app

pytestmark = pytest.mark.any_database

__all__ = ["connect", "erin", "github_app", "initech"]


@pytest.mark.github
def test_owner_of_the_organization_verifies_the_company(
    github_app: GitHub, connect: Connect, sign_in: SignIn, initech: Partner, erin: Any
) -> None:
    connect(erin)
    github_app.user_access.roles["alice-gh", "initech"] = "admin"
    page = sign_in(erin).post(PAGE, {"action": "github_role", "organization": "initech"}, follow=True)
    assert "Initech is verified." in find_text(page)
    assert get_state(initech) == ("verified", [("github", "initech", "Erin Eads")])


@pytest.mark.github
@pytest.mark.parametrize(
    ("role", "status", "reason"),
    [
        ("member", None, "GitHub doesn't list you as an owner of initech. An owner can verify it."),
        ("", None, "GitHub doesn't list you as a member of initech."),
        (
            "admin",
            403,
            "We can't read your role in initech. Install the GitHub App there, or use the file.",
        ),
        ("admin", 502, "GitHub didn't respond. Try again in a few minutes."),
        ("admin", 401, "Your GitHub access has ended. Connect GitHub again."),
    ],
)
def test_insufficient_role_is_explained(
    github_app: GitHub,
    connect: Connect,
    initech: Partner,
    erin: Any,
    now: datetime,
    role: str,
    status: int | None,
    reason: str,
) -> None:
    connect(erin)
    github_app.user_access.roles["alice-gh", "initech"] = role
    if status is not None:
        github_app.fail("/user/memberships/", status)
    with pytest.raises(ActionRefused) as refusal:
        verification.verify_by_github_role(initech, "initech", actor=erin, now=now)
    assert (str(refusal.value), get_state(initech)) == (reason, ("unverified", []))


def test_role_check_requires_a_github_connection(initech: Partner, erin: Any, now: datetime) -> None:
    with pytest.raises(ActionRefused, match="Connect GitHub first"):
        verification.verify_by_github_role(initech, "initech", actor=erin, now=now)
