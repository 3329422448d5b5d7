"""Tests of queries that are compiled once."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db.models import BigIntegerField, DateTimeField, Value

from portal.core.compiled_queries import CompiledQuery, Parameter, select_compiled

pytestmark = pytest.mark.django_db
ID = Parameter("id", BigIntegerField())


def test_compiled_query_binds_parameters_at_each_fetch(django_assert_num_queries):
    users = [get_user_model().objects.create_user(email=f"{name}@example.test") for name in ("ada", "grace")]
    query = CompiledQuery(lambda: get_user_model().objects.filter(pk=ID).annotate(role=Value("owner")))
    assert [query.fetch(id=user.pk) for user in users] == [[user] for user in users]
    with django_assert_num_queries(1):
        rows = query.fetch(id=users[0].pk)
    assert [(row.email, row.role) for row in rows] == [("ada@example.test", "owner")]


def test_compiled_query_of_values_reads_current_rows():
    user = get_user_model().objects.create_user(email="ada@example.test")
    query = CompiledQuery(lambda: get_user_model().objects.filter(pk=ID).values_list("pk", "email"))
    assert query.fetch(id=user.pk) == [(user.pk, "ada@example.test")]
    get_user_model().objects.filter(pk=user.pk).update(email="ada@new.test")
    assert query.fetch(id=user.pk) == [(user.pk, "ada@new.test")]


def test_compiled_query_is_built_once():
    builds = []
    query = CompiledQuery(lambda: builds.append("built") or get_user_model().objects.filter(pk=ID))
    assert [query.fetch(id=1), query.fetch(id=2), builds] == [[], [], ["built"]]


def test_compiled_query_refuses_prefetches():
    query = CompiledQuery(lambda: get_user_model().objects.filter(pk=ID).prefetch_related("memberships"))
    with pytest.raises(ValueError, match="no prefetches"):
        query.fetch(id=1)


def test_compiled_query_without_possible_rows_returns_none_of_them():
    query = CompiledQuery(lambda: get_user_model().objects.filter(pk=ID, email__in=[]))
    assert [query.fetch(id=1), list(query.select(id=1)[:5])] == [[], []]


@pytest.mark.every_database
def test_stand_ins_are_bound_and_rows_are_sliced():
    names = ("ada", "bea", "cyd")
    users = [get_user_model().objects.create_user(email=f"{name}@example.test") for name in names]
    time = datetime(1970, 1, 2, tzinfo=UTC)
    rows = get_user_model().objects.exclude(pk=-1).filter(date_joined__gte=time).order_by("email")
    query = CompiledQuery(lambda: rows, [(-1, ID), (time, Parameter("time", DateTimeField()))])
    bound = query.select(id=users[0].pk, time=users[0].date_joined)
    assert [list(bound[:1]), list(bound[1:2]), list(bound)] == [users[1:2], users[2:], users[1:]]
    assert query.fetch(id=users[0].pk, time=users[2].date_joined + timedelta(seconds=1)) == []


def list_users(pks: tuple[int, ...], since: datetime, other: int):
    return get_user_model().objects.filter(pk__in=pks, date_joined__gte=since).exclude(pk=other).order_by("email")


@pytest.mark.every_database
def test_selected_rows_are_those_of_the_plain_query():
    users = [get_user_model().objects.create_user(email=f"{name}@example.test") for name in ("ada", "bea", "cyd")]
    first, second, third = (user.pk for user in users)
    late = users[2].date_joined + timedelta(seconds=1)
    arguments = [((first, second), -1), ((second, third), second), ((third,), first), ((), first)]
    values = [{"pks": pks, "since": users[0].date_joined, "other": other} for pks, other in arguments]
    values += [{**each, "since": late} for each in values]
    rows = [list(select_compiled(list_users, **each)) for each in values]
    assert rows == [list(list_users(**each)) for each in values]
    assert rows[:4] == [users[:2], users[2:], users[2:], []]
