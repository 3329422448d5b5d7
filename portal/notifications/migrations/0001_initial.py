import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('audit', '0001_initial'),
        ('submissions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='NotificationPreference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('delivery', models.JSONField(default=dict)),
                ('only_in_working_hours', models.BooleanField(default=False)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notification_preference', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='EmailMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('key', models.CharField(max_length=400, unique=True)),
                ('group_key', models.CharField(blank=True, max_length=300)),
                ('name', models.CharField(max_length=60, verbose_name='template')),
                ('to', models.EmailField(max_length=254, verbose_name='to')),
                ('subject', models.CharField(max_length=250)),
                ('text', models.TextField()),
                ('html', models.TextField()),
                ('calendar', models.TextField(blank=True)),
                ('unsubscribe', models.URLField(blank=True, max_length=400)),
                ('state', models.CharField(choices=[('held', 'Scheduled'), ('queued', 'Queued'), ('sent', 'Sent'), ('stored', 'Not sent, no mail server configured'), ('canceled', 'Canceled'), ('failed', 'Failed'), ('batched', 'Waiting for digest'), ('included_in_digest', 'Sent in digest'), ('in_app_only', 'Portal only, by preference'), ('suppressed', 'Turned off by preference')], default='queued', max_length=20)),
                ('held_until', models.DateTimeField(blank=True, null=True)),
                ('visible_at', models.DateTimeField(blank=True, null=True)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField()),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(blank=True, null=True)),
                ('failure_handled_at', models.DateTimeField(blank=True, null=True)),
                ('digest', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='parts', to='notifications.emailmessage')),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='emails', to='audit.auditevent')),
                ('integration', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='emails', to='submissions.integration')),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='emails', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-created_at', '-pk'),
                'indexes': [models.Index(fields=['-created_at', '-id'], name='email_message_newest'), models.Index(condition=models.Q(('failure_handled_at', None), ('state', 'failed')), fields=['id'], name='email_message_to_handle'), models.Index(condition=models.Q(('state', 'failed')), fields=['integration'], name='email_message_failed'), models.Index(condition=models.Q(('state', 'stored')), fields=['created_at'], name='email_message_stored'), models.Index(condition=models.Q(('state', 'batched')), fields=['held_until', 'person'], name='email_message_batched')],
            },
        ),
    ]
