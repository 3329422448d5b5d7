import django.db.models.deletion
import uuid
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
            name='CheckResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=80)),
                ('version', models.PositiveSmallIntegerField()),
                ('outcome', models.CharField(choices=[('pass', 'pass'), ('warn', 'warn'), ('fail', 'fail'), ('error', 'error'), ('not_run', 'not_run'), ('waived', 'waived'), ('stale', 'stale')], max_length=10)),
                ('is_deferred', models.BooleanField(default=False)),
                ('needs_access', models.BooleanField(default=False)),
                ('summary', models.CharField(max_length=500)),
                ('evidence', models.JSONField(default=list)),
                ('inspected_revisions', models.JSONField(default=list)),
                ('advice', models.CharField(blank=True, max_length=500)),
                ('at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_results', to='submissions.integration')),
            ],
            options={
                'ordering': ('-pk',),
                'indexes': [models.Index(fields=['integration', 'key', '-id'], name='latest_result')],
            },
        ),
        migrations.CreateModel(
            name='CheckRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requested_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('nightly', models.BooleanField(default=False)),
                ('reason', models.CharField(blank=True, max_length=120)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_runs', to='submissions.integration')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('finished_at', None)), fields=('integration',), name='check_run_unique_open')],
            },
        ),
        migrations.CreateModel(
            name='CiCheckReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('reported_by', models.CharField(max_length=150)),
                ('commit', models.CharField(max_length=64)),
                ('version', models.CharField(blank=True, max_length=60)),
                ('outcome', models.CharField(max_length=10)),
                ('results', models.JSONField(default=list)),
                ('at', models.DateTimeField()),
                ('sampled', models.CharField(blank=True, max_length=120)),
                ('compared_at', models.DateTimeField(null=True)),
                ('disagreements', models.JSONField(default=list)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ci_check_reports', to='submissions.integration')),
            ],
            options={
                'ordering': ('-pk',),
                'indexes': [models.Index(condition=models.Q(('compared_at', None), models.Q(('sampled', ''), _negated=True)), fields=['id'], name='ci_check_report_to_compare')],
            },
        ),
        migrations.CreateModel(
            name='Observation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=120)),
                ('value', models.JSONField(null=True)),
                ('source', models.CharField(max_length=80)),
                ('since', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField()),
                ('missing_since', models.DateTimeField(blank=True, null=True)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='observations', to='submissions.integration')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('integration', 'key'), name='observation_unique_integration_key')],
            },
        ),
    ]
