from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='PeriodicRun',
            fields=[
                ('name', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='ResourceLimit',
            fields=[
                ('key', models.CharField(max_length=120, primary_key=True, serialize=False)),
                ('max_concurrency', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('blocked_until', models.DateTimeField(blank=True, null=True)),
                ('failure_count', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=80)),
                ('dedup_key', models.CharField(blank=True, max_length=120)),
                ('payload', models.JSONField(default=dict)),
                ('queue', models.CharField(max_length=40)),
                ('priority', models.SmallIntegerField(default=0)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('canceled', 'Canceled')], default='pending', max_length=10)),
                ('run_after', models.DateTimeField()),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('lease_token', models.UUIDField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('rerun_requested', models.BooleanField(default=False)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('resource', models.CharField(blank=True, max_length=120)),
                ('progress', models.JSONField(default=dict)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('error_message', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['queue', '-priority', 'run_after'], name='job_pending'), models.Index(condition=models.Q(('state', 'running')), fields=['lease_expires_at'], name='job_running'), models.Index(condition=models.Q(('finished_at__isnull', False)), fields=['finished_at'], name='job_finished')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ('pending', 'running')), models.Q(('dedup_key', ''), _negated=True)), fields=('kind', 'dedup_key'), name='job_unique_kind_dedup_key')],
            },
        ),
    ]
