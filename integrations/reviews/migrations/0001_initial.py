import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('submissions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ReviewerProfile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('programs', models.JSONField(blank=True, default=list)),
                ('away_from', models.DateField(blank=True, null=True)),
                ('away_until', models.DateField(blank=True, null=True)),
                ('max_open_reviews', models.PositiveSmallIntegerField(default=8, verbose_name='maximum open reviews')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reviewer_profile', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Snooze',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('until', models.DateTimeField()),
                ('reason', models.CharField(max_length=200)),
                ('at', models.DateTimeField()),
                ('integration', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='snooze', to='submissions.integration')),
                ('snoozed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='QueueItem',
            fields=[
                ('pk', models.CompositePrimaryKey('kind', 'uuid', 'slug', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField()),
                ('uuid', models.UUIDField()),
                ('slug', models.CharField()),
                ('name', models.CharField()),
                ('name_key', models.CharField()),
                ('detail', models.CharField()),
                ('program_key', models.CharField()),
                ('edition_date', models.CharField()),
                ('step', models.CharField()),
                ('stage', models.CharField()),
                ('category', models.CharField()),
                ('review_state', models.CharField()),
                ('review_round', models.PositiveSmallIntegerField()),
                ('deadline_pause_reason', models.CharField()),
                ('responsible_party', models.CharField()),
                ('next_action_code', models.CharField()),
                ('next_action_params', models.JSONField(null=True)),
                ('action_due_at', models.DateTimeField(null=True)),
                ('waiting_since', models.DateTimeField(null=True)),
                ('reasons', models.JSONField(null=True)),
                ('requirement_counts', models.JSONField(null=True)),
                ('claim_expires_at', models.DateTimeField(null=True)),
                ('began_at', models.DateTimeField(db_column='computed_began_at', null=True)),
                ('is_snoozed', models.BooleanField(db_column='computed_is_snoozed')),
                ('changes', models.PositiveIntegerField(db_column='computed_changes', null=True)),
            ],
            options={
                'managed': False,
            },
        ),
    ]
