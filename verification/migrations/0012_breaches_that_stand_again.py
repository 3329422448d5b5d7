"""A breach that was taken back and stands again is a row of its own."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verification", "0011_nomad_rehearsals")]

    operations = [
        migrations.RemoveConstraint("breach", "one_breach_a_due_moment"),
        migrations.AddConstraint(
            "breach",
            models.UniqueConstraint(
                fields=["clock", "due_at"], condition=Q(retracted_at=None), name="one_standing_breach_a_due_moment"
            ),
        ),
    ]
