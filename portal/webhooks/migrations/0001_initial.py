import django.db.models.deletion
import portal.webhooks.models
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('audit', '0001_initial'),
        ('partners', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('format', models.CharField(choices=[('webhook', 'Signed JSON'), ('slack', 'Slack message'), ('teams', 'Microsoft Teams message')], default='webhook', max_length=10)),
                ('url', models.BinaryField()),
                ('display_url', models.CharField(max_length=300)),
                ('event_types', models.JSONField(default=list)),
                ('program_key', models.CharField(blank=True, max_length=40)),
                ('secret', models.BinaryField(null=True)),
                ('old_secret', models.BinaryField(null=True)),
                ('old_secret_until', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('pause', models.CharField(blank=True, choices=[('manual', 'Paused'), ('endpoint_gone', 'Endpoint gone (410)'), ('unreachable', 'Endpoint unreachable')], max_length=16)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='endpoints', to='partners.partner')),
            ],
            options={
                'ordering': ('name', 'pk'),
                'indexes': [
                    models.Index(condition=models.Q(('ended_at', None)), fields=['partner'], name='webhook_endpoint_active'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('key', models.CharField(max_length=80)),
                ('message_id', models.CharField(default=portal.webhooks.models.generate_message_id, editable=False, max_length=40, unique=True)),
                ('event_type', models.CharField(max_length=60)),
                ('about', models.CharField(blank=True, max_length=120)),
                ('body', models.TextField()),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed'), ('skipped', 'Skipped')], default='pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('failure_count', models.PositiveSmallIntegerField(default=0)),
                ('attempt_count', models.PositiveIntegerField(default=0)),
                ('last_response_summary', models.CharField(blank=True, max_length=300)),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('replayed_at', models.DateTimeField(blank=True, null=True)),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='audit.auditevent')),
                ('replayed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhookendpoint')),
            ],
            options={
                'ordering': ('-created_at', '-pk'),
                'indexes': [
                    models.Index(condition=models.Q(('state', 'pending')), fields=['endpoint', 'due_at'], name='webhook_delivery_pending'),
                    models.Index(fields=['endpoint', '-created_at'], name='webhook_delivery_newest'),
                    models.Index(fields=['created_at'], name='webhook_delivery_expiry'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('endpoint', 'key'), name='webhook_delivery_unique_endpoint_key'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WebhookDeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('seconds', models.FloatField()),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('response_summary', models.CharField(max_length=300)),
                ('sent_headers', models.JSONField(default=dict)),
                ('headers', models.JSONField(default=dict)),
                ('body', models.TextField(blank=True)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='webhooks.webhookdelivery')),
            ],
            options={
                'ordering': ('-number',),
                'constraints': [models.UniqueConstraint(fields=('delivery', 'number'), name='webhook_attempt_unique_delivery_number')],
            },
        ),
    ]
