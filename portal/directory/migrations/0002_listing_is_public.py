
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('directory', '0001_initial'),
        ('partners', '0002_company_verification'),
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='listing',
            name='listing_facets',
        ),
        migrations.AddField(
            model_name='listing',
            name='is_public',
            field=models.BooleanField(default=False),
        ),
        migrations.AddIndex(
            model_name='listing',
            index=models.Index(fields=['is_public', 'program', 'track', 'category', 'tier', 'listing_status'], name='listing_facets'),
        ),
    ]
