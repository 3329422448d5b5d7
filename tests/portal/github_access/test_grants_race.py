"""Test of concurrent connections to GitHub on PostgreSQL."""

from functools import partial
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount, SocialLogin, SocialToken
from django.db import connection

from portal.github_access import services
from portal.github_access.models import GitHubGrant
from tests.concurrency import list_errors
from tests.conftest import NOW
from tests.portal.accounts.test_account_security import list_event_kinds

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_concurrent_first_connections_store_one_grant(alice: Any) -> None:
    account = SocialAccount(provider="github", uid="7", extra_data={"login": "alice-gh"})
    login = SocialLogin(account=account, token=SocialToken(account=account, token="ghu_1", token_secret="ghr_1"))
    errors = list_errors(*[partial(services.store_grant, login, user=alice, now=NOW)] * 4)
    assert (errors, GitHubGrant.objects.get().login) == ([], "alice-gh")
    assert list_event_kinds(alice).count("github_access_granted") == 4
