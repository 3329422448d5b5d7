"""When does what a machine found become stale, and when is a finding due?"""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("integrations", "0003_calendar_edition"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="finding",
            name="due_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="requirementstate",
            name="fresh_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("due_at", None), _negated=True), models.Q(("state", "verified"), _negated=True)
                ),
                fields=("integration", "requirement_id"),
                name="one_unsettled_finding_of_the_machine",
            ),
        ),
    ]
