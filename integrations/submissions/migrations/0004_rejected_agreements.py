from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0003_agreement_documents")]
    operations = [
        migrations.AddField("agreement", "rejected_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("agreement", "rejection_reason", models.CharField(blank=True, max_length=400)),
        migrations.RemoveConstraint("agreement", "agreement_unique_partner_kind_version"),
        migrations.AddConstraint(
            "agreement",
            models.UniqueConstraint(
                condition=models.Q(("rejected_at", None)),
                fields=("partner", "kind", "version"),
                name="agreement_unique_partner_kind_version",
            ),
        ),
    ]
