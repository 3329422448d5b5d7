from datetime import UTC, datetime, time

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def copy_signatures(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Move the signatures of recorded agreements, of which only the day is known, to their own table.

    One signature without a text can't be completed, so such an agreement is deleted. Its audit event stays.
    """
    agreements = apps.get_model("submissions", "Agreement").objects
    signatures = apps.get_model("submissions", "AgreementSignature").objects
    agreements.filter(models.Q(partner_signed_on=None) | models.Q(program_signed_on=None)).delete()
    for agreement in agreements.iterator():
        times = {}
        for side in ("partner", "program"):
            times[side] = datetime.combine(getattr(agreement, f"{side}_signed_on"), time(), UTC)
            signer = getattr(agreement, f"{side}_signer")
            signatures.create(agreement=agreement, side=side, signer=signer, signed_at=times[side])
        agreement.completed_at = max(times.values())
        agreement.method, agreement.partner_name = "recorded", agreement.partner.name
        agreement.save()


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("submissions", "0002_finding_answer_url"),
    ]
    operations = [
        migrations.AddField(
            "agreement", "partner_name", models.CharField(default="", max_length=120), preserve_default=False
        ),
        migrations.AddField("agreement", "text", models.TextField(blank=True, default=""), preserve_default=False),
        migrations.AddField(
            "agreement", "digest", models.CharField(blank=True, default="", max_length=64), preserve_default=False
        ),
        migrations.AddField(
            "agreement",
            "method",
            models.CharField(
                choices=[
                    ("portal", "Signed in the portal"),
                    ("upload", "Signed PDF"),
                    ("recorded", "Recorded without the text"),
                ],
                default="portal",
                max_length=10,
            ),
        ),
        migrations.AddField("agreement", "completed_at", models.DateTimeField(blank=True, null=True)),
        migrations.CreateModel(
            name="AgreementSignature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("side", models.CharField(choices=[("partner", "Company"), ("program", "Program")], max_length=10)),
                ("signer", models.CharField(max_length=120)),
                ("title", models.CharField(blank=True, max_length=120)),
                ("statement", models.CharField(blank=True, max_length=400)),
                ("signed_at", models.DateTimeField()),
                ("zone", models.CharField(default="UTC", max_length=64)),
                (
                    "agreement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="signatures",
                        to="submissions.agreement",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("agreement", "side"), name="agreement_signature_unique_agreement_side"
                    )
                ]
            },
        ),
        migrations.RunPython(copy_signatures, migrations.RunPython.noop),
        migrations.RemoveField("agreement", "partner_signer"),
        migrations.RemoveField("agreement", "partner_signed_on"),
        migrations.RemoveField("agreement", "program_signer"),
        migrations.RemoveField("agreement", "program_signed_on"),
    ]
