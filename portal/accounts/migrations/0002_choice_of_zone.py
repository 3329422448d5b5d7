"""Whether a person chose the time zone. Any other than UTC was chosen."""

from typing import Any

from django.db import migrations, models


def note_choices(apps: Any, schema_editor: Any) -> None:
    apps.get_model("accounts", "User").objects.exclude(zone="UTC").update(zone_chosen=True)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]  # noqa: RUF012

    operations = [  # noqa: RUF012
        migrations.AddField(
            model_name="user",
            name="zone_chosen",
            field=models.BooleanField(
                default=False,
                help_text="Otherwise it is the browser’s.",
                verbose_name="chose the time zone",
            ),
        ),
        migrations.RunPython(note_choices, migrations.RunPython.noop),
    ]
