"""Test of two superusers who revoke each other at the same time, on PostgreSQL."""

from typing import Any

import pytest
from django.db import connection

from portal.accounts import roles
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from tests.concurrency import run_concurrently
from tests.conftest import NOW

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_two_superusers_do_not_revoke_each_other(sam: Any, rita: Any) -> None:
    def revoke_other() -> str:
        user, by = pairs.pop()
        try:
            roles.change_roles(user, revoke=["superuser"], actor=by, now=NOW, reason="Leaves")
        except ActionRefused as refusal:
            return str(refusal)
        return ""

    for _ in range(10):
        User.objects.filter(pk__in=[sam.pk, rita.pk]).update(is_superuser=True)
        first, second = User.objects.filter(is_superuser=True)
        pairs = [(first, second), (second, first)]
        results = run_concurrently(revoke_other, revoke_other)
        assert sorted(results) == ["", "Only administrators can change other people's access."]
        assert User.objects.filter(is_superuser=True).count() == 1
