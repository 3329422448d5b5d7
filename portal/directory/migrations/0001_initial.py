import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('partners', '0001_initial'),
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Listing',
            fields=[
                ('integration', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='listing', serialize=False, to='submissions.integration')),
                ('uuid', models.UUIDField(unique=True)),
                ('publisher', models.CharField(max_length=120)),
                ('publisher_slug', models.CharField(max_length=80)),
                ('name', models.CharField(max_length=80)),
                ('name_plain', models.CharField(max_length=200)),
                ('program', models.CharField(max_length=40)),
                ('product', models.CharField(max_length=40)),
                ('track', models.CharField(blank=True, max_length=20)),
                ('category', models.CharField(blank=True, max_length=60)),
                ('category_name', models.CharField(blank=True, max_length=80)),
                ('tier', models.CharField(blank=True, max_length=40)),
                ('tier_name', models.CharField(blank=True, max_length=80)),
                ('listing_status', models.CharField(max_length=12)),
                ('listing_status_since', models.DateTimeField(null=True)),
                ('summary', models.CharField(blank=True, max_length=300)),
                ('blurb', models.CharField(blank=True, max_length=1000)),
                ('has_logo', models.BooleanField(default=False)),
                ('search_text', models.TextField()),
                ('is_public', models.BooleanField(default=False)),
                ('listed_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('version', models.CharField(blank=True, max_length=255)),
                ('versions', models.JSONField(default=list)),
                ('platforms', models.CharField(blank=True, max_length=500)),
                ('on_time_share', models.FloatField(null=True)),
                ('settled_count', models.PositiveIntegerField(default=0)),
                ('median_hours', models.FloatField(null=True)),
                ('response_count', models.PositiveIntegerField(default=0)),
                ('median_resolution_hours', models.FloatField(null=True)),
                ('resolution_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('data_incomplete', models.PositiveIntegerField(db_default=0, default=0)),
                ('rank', models.IntegerField(default=-1)),
                ('measured_target', models.CharField(blank=True, max_length=300)),
                ('figures_at', models.DateTimeField(db_index=True)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listings', to='partners.partner')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['-listed_at', '-integration'], name='listing_listed_at'),
                    models.Index(fields=['name_plain', 'integration'], name='listing_name'),
                    models.Index(fields=['-rank', '-settled_count', '-integration'], name='listing_support_rank'),
                    models.Index(fields=['partner', 'program'], name='listing_partner_program'),
                    models.Index(fields=['partner', 'name_plain', 'integration', 'listing_status', 'is_public'], name='listing_partner_name'),
                    models.Index(condition=models.Q(('has_logo', True)), fields=['partner', 'name_plain'], name='listing_partner_logo'),
                    models.Index(fields=['is_public', 'listing_status', 'program', 'product', 'track', 'category', 'category_name', 'tier', 'tier_name', 'platforms'], name='listing_facets'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ListingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('new', 'New'), ('changed', 'Changed'), ('suspended', 'Suspended'), ('delisted', 'Delisted'), ('ended', 'Support ended')], max_length=10)),
                ('summary', models.CharField(max_length=300)),
                ('at', models.DateTimeField()),
                ('listing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='directory.listing')),
            ],
            options={
                'ordering': ('-at', '-pk'),
                'indexes': [
                    models.Index(fields=['-at', '-id'], name='listing_change_at'),
                ],
            },
        ),
    ]
