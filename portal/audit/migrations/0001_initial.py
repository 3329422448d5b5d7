import django.db.models.deletion
from django.db import migrations, models

from portal.core.append_only import append_only


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('partners', '0001_initial'),
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stream', models.CharField(max_length=100)),
                ('seq', models.PositiveIntegerField()),
                ('event_type', models.CharField(max_length=40)),
                ('actor_id', models.BigIntegerField(null=True)),
                ('actor', models.CharField(blank=True, max_length=254)),
                ('note', models.TextField(blank=True)),
                ('data', models.JSONField(default=dict)),
                ('internal', models.BooleanField(default=False)),
                ('at', models.DateTimeField(db_index=True)),
                ('before', models.CharField(blank=True, max_length=64)),
                ('key_id', models.CharField(default='', max_length=16)),
                ('hash', models.CharField(max_length=64)),
                ('integration', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='submissions.integration')),
                ('partner', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='partners.partner')),
            ],
            options={
                'ordering': ('seq',),
                'indexes': [models.Index(fields=['actor_id', '-at'], name='audit_event_actor_at'), models.Index(fields=['partner', 'event_type', 'actor_id'], name='audit_event_partner_type_actor')],
                'constraints': [models.UniqueConstraint(fields=('stream', 'seq'), name='audit_event_unique_stream_seq')],
            },
        ),
        append_only("audit_auditevent"),
    ]
