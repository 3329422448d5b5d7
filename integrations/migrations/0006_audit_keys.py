"""Events name the key that sealed them. SQLite remakes the table, which drops its trigger, so that is made again."""

from django.db import migrations, models

SQLITE = """
CREATE TRIGGER IF NOT EXISTS integrations_event_append_only BEFORE UPDATE ON integrations_event
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
"""


def create_sqlite_trigger(apps, editor):
    if editor.connection.vendor == "sqlite":
        editor.execute(SQLITE, params=None)


class Migration(migrations.Migration):
    dependencies = [("integrations", "0005_due_process")]
    operations = [
        migrations.AddField("event", "key_id", models.CharField(default="", max_length=16)),
        migrations.RunPython(create_sqlite_trigger, create_sqlite_trigger),
    ]
