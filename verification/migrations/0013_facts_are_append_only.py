"""The database itself refuses to change what was told of issues; on PostgreSQL it also refuses to delete it."""

from django.db import migrations

TABLES = ("verification_issueevent", "verification_clockevent")
FUNCTION = """
CREATE FUNCTION verification_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append-only';
END $$
"""
FUNCTION_BACK = "DROP FUNCTION verification_is_append_only()"
POSTGRESQL = """
CREATE TRIGGER {0}_append_only BEFORE UPDATE OR DELETE ON {0}
FOR EACH ROW EXECUTE FUNCTION verification_is_append_only()
"""
POSTGRESQL_BACK = "DROP TRIGGER {0}_append_only ON {0}"
SQLITE = """
CREATE TRIGGER {0}_append_only BEFORE UPDATE ON {0}
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
"""
SQLITE_BACK = "DROP TRIGGER {0}_append_only"
FORWARDS = {
    "postgresql": [FUNCTION, *(POSTGRESQL.format(table) for table in TABLES)],
    "sqlite": [SQLITE.format(table) for table in TABLES],
}
BACKWARDS = {
    "postgresql": [*(POSTGRESQL_BACK.format(table) for table in TABLES), FUNCTION_BACK],
    "sqlite": [SQLITE_BACK.format(table) for table in TABLES],
}


def run(statements):
    def each(apps, editor):
        for statement in statements[editor.connection.vendor]:
            editor.execute(statement, params=None)

    return each


class Migration(migrations.Migration):
    dependencies = [("verification", "0012_breaches_that_stand_again")]
    operations = [migrations.RunPython(run(FORWARDS), run(BACKWARDS))]
