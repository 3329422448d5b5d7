"""A person signs in with GitHub: for the first time, again, and with an account that was there before."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings as django_settings

from portal.accounts.models import User
from tests.fakes.github.server import GitHub
from tests.journeys.person import Person

pytestmark = pytest.mark.github
Visit = Callable[..., Person]


@pytest.fixture
def github_app(github_sign_in: GitHub, settings: Any) -> GitHub:
    """GitHub's stand-in, to which forms may lead."""
    policy = django_settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {
        "DIRECTIVES": policy | {"form-action": [*policy["form-action"], github_sign_in.url]}
    }
    return github_sign_in


def test_placeholder(visit: Visit, github_app: GitHub) -> None:
    browser = visit()
    browser.go("/accounts/login/")
    browser.page.get_by_role("button", name="Sign in with GitHub").click()
    browser.page.wait_for_load_state("load")
    print(browser.page.url, browser.page.content()[:3000])
    assert User.objects.count() == 0
