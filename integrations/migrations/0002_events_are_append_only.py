"""The database itself refuses to change history; on PostgreSQL it also refuses to delete it."""

from django.db import migrations

POSTGRESQL = """
CREATE FUNCTION integrations_event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append-only';
END $$;
CREATE TRIGGER integrations_event_append_only BEFORE UPDATE OR DELETE ON integrations_event
FOR EACH ROW EXECUTE FUNCTION integrations_event_is_append_only();
"""
POSTGRESQL_BACK = """
DROP TRIGGER integrations_event_append_only ON integrations_event;
DROP FUNCTION integrations_event_is_append_only();
"""
SQLITE = """
CREATE TRIGGER integrations_event_append_only BEFORE UPDATE ON integrations_event
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
"""
SQLITE_BACK = "DROP TRIGGER integrations_event_append_only"


def run(forwards, backwards):
    def choose(apps, editor):
        editor.execute({"postgresql": forwards, "sqlite": backwards}[editor.connection.vendor], params=None)

    return choose


class Migration(migrations.Migration):
    dependencies = [("integrations", "0001_initial")]
    operations = [migrations.RunPython(run(POSTGRESQL, SQLITE), run(POSTGRESQL_BACK, SQLITE_BACK))]
