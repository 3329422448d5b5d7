"""Rename the column of the inspected revisions."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("checks", "0001_initial")]

    operations = [
        migrations.RenameField(
            model_name="checkresult", old_name="looked_at", new_name="inspected_revisions"
        )
    ]
