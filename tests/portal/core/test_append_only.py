"""Test of the triggers that make tables append-only."""

from django.db import connection

QUERIES = {
    "sqlite": "SELECT tbl_name, name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%append_only'",
    "postgresql": "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgname LIKE '%append_only'",
}


def test_migrations_create_the_triggers_of_append_only_tables(db):
    with connection.cursor() as cursor:
        cursor.execute(QUERIES[connection.vendor])
        assert set(cursor.fetchall()) == {
            ("audit_auditevent", "audit_auditevent_append_only"),
            ("sla_supportissueevent", "sla_supportissueevent_append_only"),
        }
