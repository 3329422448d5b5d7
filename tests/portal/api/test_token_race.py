"""Tests of concurrent changes of API tokens on PostgreSQL."""

import re
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from portal.accounts import roles
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.errors import ActionRefused
from tests.concurrency import run_concurrently
from tests.conftest import NOW

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]

# a partner's removal of an owner locks the partner first, then revokes the tokens
LOCKED_TABLE = re.compile(r'FROM "(\w+)".* FOR NO KEY UPDATE|UPDATE "(\w+)" SET')


def test_concurrent_requests_do_not_exceed_the_limit(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 2)
    create = partial(tokens.create_token, "ci", ["integrations:read"], 30, actor=alice, now=NOW)
    results = run_concurrently(*[create] * 6)
    assert ApiToken.objects.filter(user=alice).count() == 2
    assert [type(result) for result in results if isinstance(result, Exception)] == [ActionRefused] * 4


def test_revocation_locks_the_partner_before_the_token(alice: Any, acme: Any) -> None:
    token, _ = tokens.create_token("ci", ["integrations:read"], 30, actor=alice, now=NOW, partner=acme)
    with CaptureQueriesContext(connection) as queries:
        tokens.revoke_token(token, actor=alice, now=NOW)
    matches = filter(None, (LOCKED_TABLE.search(query["sql"]) for query in queries))
    assert [match[1] or match[2] for match in matches][:2] == ["partners_partner", "api_apitoken"]


def test_deactivation_locks_the_partner_before_the_token(alice: Any, acme: Any, sam: Any) -> None:
    tokens.create_token("ci", ["integrations:read"], 30, actor=alice, now=timezone.now(), partner=acme)
    with CaptureQueriesContext(connection) as queries:
        roles.deactivate(alice, actor=sam, now=NOW, reason="Left")
    statements = [query["sql"] for query in queries]
    locked_tables = [match[1] or match[2] for match in map(LOCKED_TABLE.search, statements) if match]
    locked_tables = [table for table in locked_tables if table in ("accounts_user", "partners_partner", "api_apitoken")]
    assert list(dict.fromkeys(locked_tables)) == ["accounts_user", "partners_partner", "api_apitoken"]
    assert [sql for sql in statements if 'FROM "accounts_user"' in sql and sql.endswith("FOR UPDATE")] == []
