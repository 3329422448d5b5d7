from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("verification", "0003_sources_and_freshness")]

    operations = [
        migrations.AddField("watch", "missing_since", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("watch", "refused", models.PositiveIntegerField(default=0)),
        migrations.AddField("watch", "refused_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("issue", "edition", models.CharField(max_length=10, default=""), preserve_default=False),
    ]
