"""Which tables keep what the sources answered, and how fresh is a result?"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("integrations", "0004_freshness_and_due_findings"),
        ("verification", "0002_support"),
    ]

    operations = [
        migrations.CreateModel(
            name="Allowance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("limit", models.PositiveIntegerField()),
                ("remaining", models.PositiveIntegerField(blank=True, null=True)),
                ("reset_at", models.DateTimeField(blank=True, null=True)),
                ("hour_from", models.DateTimeField()),
                ("spent", models.PositiveIntegerField(default=0)),
                ("blocked_until", models.DateTimeField(blank=True, null=True)),
                ("strikes", models.PositiveSmallIntegerField(default=0)),
                ("dead_at", models.DateTimeField(blank=True, null=True)),
                ("dead_why", models.CharField(blank=True, max_length=300)),
            ],
        ),
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(max_length=500, unique=True)),
                ("etag", models.CharField(blank=True, max_length=200)),
                ("body", models.BinaryField()),
                ("final", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.AddField(
            model_name="checkresult",
            name="advice",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="checkresult",
            name="confirmed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="checkrun",
            name="done",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="checkrun",
            name="nightly",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="checkrun",
            name="reason",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.CreateModel(
            name="Observation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=120)),
                ("value", models.JSONField(null=True)),
                ("source", models.CharField(max_length=80)),
                ("since", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField()),
                ("missing_since", models.DateTimeField(blank=True, null=True)),
                (
                    "integration",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="observations",
                        to="integrations.integration",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("integration", "key"), name="one_observation_a_key")],
            },
        ),
    ]
