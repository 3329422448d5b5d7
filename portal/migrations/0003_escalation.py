"""Escalations: news that goes from one of the program to the next until somebody answers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("integrations", "0005_due_process"),
        ("portal", "0002_reports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Escalation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("breaches", "Breaches"), ("turn", "The program's own turn")], max_length=10
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("began_at", models.DateTimeField()),
                ("next_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("told", models.JSONField(default=list)),
            ],
        ),
        migrations.AddField(
            model_name="email",
            name="passed_on_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="email",
            index=models.Index(
                condition=models.Q(("passed_on_at", None), ("state", "failed")), fields=["id"], name="mails_to_pass_on"
            ),
        ),
        migrations.AddField(
            model_name="escalation",
            name="event",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="integrations.event",
            ),
        ),
        migrations.AddField(
            model_name="escalation",
            name="integration",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="escalations", to="integrations.integration"
            ),
        ),
        migrations.AddIndex(
            model_name="escalation",
            index=models.Index(condition=models.Q(("next_at__isnull", False)), fields=["next_at"], name="chains_due"),
        ),
        migrations.AddConstraint(
            model_name="escalation",
            constraint=models.UniqueConstraint(fields=("integration", "kind", "due_at"), name="one_chain_a_due_moment"),
        ),
    ]
