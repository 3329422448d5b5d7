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
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('query', models.CharField(blank=True, max_length=500)),
                ('is_default', models.BooleanField(default=False)),
                ('saved_at', models.DateTimeField()),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
                ('saved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('name', 'pk'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('owner__isnull', False)), fields=('owner', 'page', 'name'), name='saved_view_unique_owner_page_name'), models.UniqueConstraint(condition=models.Q(('owner', None)), fields=('page', 'name'), name='saved_view_unique_shared_page_name'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('owner', 'page'), name='saved_view_unique_default')],
            },
        ),
        migrations.CreateModel(
            name='StageDuration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('program_key', models.CharField(max_length=40)),
                ('stage', models.CharField(max_length=20)),
                ('responsible_party', models.CharField(max_length=20)),
                ('round', models.PositiveSmallIntegerField(default=0)),
                ('stay_started_at', models.DateTimeField()),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('ends_stay', models.BooleanField(default=False)),
                ('business_day_tenths', models.PositiveIntegerField(null=True)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stage_durations', to='submissions.integration')),
            ],
            options={
                'ordering': ('pk',),
                'indexes': [models.Index(condition=models.Q(('ends_stay', True)), fields=['ended_at', 'program_key', 'stage', 'business_day_tenths'], name='stage_duration_stays'), models.Index(fields=['ended_at', 'program_key', 'stage', 'responsible_party', 'started_at'], name='stage_duration_end')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('integration',), name='stage_duration_unique_open')],
            },
        ),
    ]
