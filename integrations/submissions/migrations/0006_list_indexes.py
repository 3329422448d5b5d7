
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('partners', '0004_merged_companies'),
        ('submissions', '0005_integration_repository_reader'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='integration',
            index=models.Index(fields=['reviewer', 'stage'], name='integration_reviewer_stage'),
        ),
        migrations.AddIndex(
            model_name='integration',
            index=models.Index(django.db.models.functions.text.Upper('repository'), name='integration_repository_upper'),
        ),
    ]
