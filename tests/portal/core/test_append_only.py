"""Tables whose rows the database itself refuses to change."""

from django.db import connection

QUERIES = {
    "sqlite": "SELECT tbl_name, name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def test_migrations_make_the_triggers_of_append_only_tables(db):
    with connection.cursor() as cursor:
        cursor.execute(QUERIES[connection.vendor])
        assert set(cursor.fetchall()) == {
            ("audit_event", "audit_event_append_only"),
            ("sla_issueevent", "sla_issueevent_append_only"),
            ("sla_clockevent", "sla_clockevent_append_only"),
        }
