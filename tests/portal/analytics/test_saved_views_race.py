"""Test of simultaneous changes of the default view on PostgreSQL."""

from collections.abc import Callable

import pytest
from django.db import connection

from portal.accounts.models import User
from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from tests.concurrency import list_errors
from tests.conftest import NOW

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_two_default_views_at_once_leave_one(sam: User) -> None:
    def set_default(title: str) -> Callable[[], object]:
        view = services.save_view(sam, "partners", title, "q=acme", shared=False, now=NOW)
        return lambda: services.set_default(view, sam, on=True)

    for _ in range(10):
        SavedView.objects.all().delete()
        assert list_errors(set_default("First"), set_default("Second")) == []
        assert SavedView.objects.filter(is_default=True).count() == 1
