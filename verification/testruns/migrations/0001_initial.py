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
            name='RunTaskRehearsal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('url', models.CharField(max_length=2048)),
                ('stages', models.JSONField(default=list)),
                ('scenarios', models.JSONField(default=dict)),
                ('encrypted_hmac_key', models.BinaryField(default=b'')),
                ('signed', models.BooleanField()),
                ('requested_at', models.DateTimeField()),
                ('settle_until', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, max_length=10)),
                ('verdicts', models.JSONField(default=list)),
                ('effects', models.JSONField(default=list)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE,
                related_name='run_task_rehearsals', to='submissions.integration')), ('requested_by',
                models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+',
                to=settings.AUTH_USER_MODEL)), ], options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='RunTaskRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('act', models.CharField(max_length=40)),
                ('token_hash', models.CharField(max_length=64)),
                ('sent_at', models.DateTimeField()),
                ('exchange', models.JSONField(default=dict)),
                ('rehearsal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests',
                to='testruns.runtaskrehearsal')), ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='RunTaskCallback',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('is_final', models.BooleanField(default=False)),
                ('seen', models.JSONField(default=dict)),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='callbacks',
                to='testruns.runtaskrequest')), ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='SchemaReading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(blank=True, max_length=250)),
                ('requested_at', models.DateTimeField()),
                ('says', models.CharField(blank=True, max_length=200)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, max_length=10)),
                ('told', models.JSONField(default=dict)),
                ('results', models.JSONField(default=list)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE,
                related_name='schema_readings', to='submissions.integration')), ('requested_by',
                models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+',
                to=settings.AUTH_USER_MODEL)), ], options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='LifecycleRehearsal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('version', models.CharField(max_length=100)),
                ('base', models.TextField()),
                ('changed', models.TextField()),
                ('refused', models.TextField(blank=True)),
                ('partial', models.TextField(blank=True)),
                ('hosts', models.JSONField(default=list)),
                ('encrypted_environment', models.BinaryField(default=b'')),
                ('names', models.JSONField(default=list)),
                ('account', models.UUIDField(blank=True, null=True)),
                ('requested_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, max_length=10)),
                ('seen', models.JSONField(default=dict)),
                ('verdicts', models.JSONField(default=list)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE,
                related_name='lifecycle_rehearsals', to='submissions.integration')), ('requested_by',
                models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+',
                to=settings.AUTH_USER_MODEL)), ], options={
                'ordering': ('-pk',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('finished_at', None)),
                fields=('integration',), name='one_open_lifecycle')], },
        ),
        migrations.CreateModel(
            name='NomadRehearsal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('type', models.CharField(max_length=10)),
                ('name', models.CharField(blank=True, max_length=100)),
                ('version', models.CharField(max_length=100)),
                ('config', models.TextField(blank=True)),
                ('requested_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, max_length=10)),
                ('seen', models.JSONField(default=dict)),
                ('verdicts', models.JSONField(default=list)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE,
                related_name='nomad_rehearsals', to='submissions.integration')), ('requested_by',
                models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+',
                to=settings.AUTH_USER_MODEL)), ], options={
                'ordering': ('-pk',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('finished_at', None)),
                fields=('integration',), name='one_open_nomad')], },
        ),
        migrations.AddConstraint(
            model_name='runtaskrehearsal',
            constraint=models.UniqueConstraint(condition=models.Q(('finished_at', None)), fields=('integration',),
            name='run_task_test_unique_open'), ),
        migrations.AddConstraint(
            model_name='runtaskrequest',
            constraint=models.UniqueConstraint(fields=('rehearsal', 'act'), name='run_task_request_unique_step'),
        ),
        migrations.AddConstraint(
            model_name='runtaskcallback',
            constraint=models.UniqueConstraint(condition=models.Q(('is_final', True)), fields=('request',),
            name='run_task_callback_unique_final'), ),
        migrations.AddConstraint(
            model_name='schemareading',
            constraint=models.UniqueConstraint(condition=models.Q(('finished_at', None)), fields=('integration',),
            name='schema_inspection_unique_open'), ),
    ]
