from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('directory', '0002_listing_is_public'),
        ('partners', '0004_merged_companies'),
        ('submissions', '0005_integration_repository_reader'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='listing',
            name='listing_facets',
        ),
        migrations.AddField(
            model_name='listing',
            name='data_incomplete',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='listing',
            name='measured_target',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='listing',
            name='median_resolution_hours',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='listing',
            name='resolutions',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddIndex(
            model_name='listing',
            index=models.Index(fields=['partner', 'name_plain', 'integration', 'listing_status', 'is_public'], name='listing_partner_name'),
        ),
        migrations.AddIndex(
            model_name='listing',
            index=models.Index(condition=models.Q(('has_logo', True)), fields=['partner', 'name_plain'], name='listing_partner_logo'),
        ),
        migrations.AddIndex(
            model_name='listing',
            index=models.Index(fields=['is_public', 'listing_status', 'program', 'product', 'track', 'category', 'category_name', 'tier', 'tier_name', 'platforms'], name='listing_facets'),
        ),
    ]
