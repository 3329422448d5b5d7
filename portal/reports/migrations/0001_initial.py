import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ReportSchedule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60, unique=True)),
                ('roles', models.JSONField(default=list)),
                ('weekday', models.PositiveSmallIntegerField(choices=[(0, 'Monday'), (1, 'Tuesday'), (2, 'Wednesday'), (3, 'Thursday'), (4, 'Friday'), (5, 'Saturday'), (6, 'Sunday')], default=0)),
                ('hour', models.PositiveSmallIntegerField(default=8)),
                ('zone', models.CharField(default='UTC', max_length=64)),
                ('skips_empty', models.BooleanField(default=True)),
            ],
        ),
        migrations.CreateModel(
            name='ReportSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60)),
                ('week', models.CharField(max_length=8)),
                ('figures', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('-week', 'scope'),
                'constraints': [models.UniqueConstraint(fields=('scope', 'week'), name='report_snapshot_unique_scope_week')],
            },
        ),
        migrations.CreateModel(
            name='OutsideRecipient',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60)),
                ('email', models.EmailField(max_length=254)),
                ('added_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('email', 'pk'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('scope', 'email'), name='outside_recipient_unique_scope_email')],
            },
        ),
        migrations.CreateModel(
            name='ReportDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reader', models.EmailField(max_length=254)),
                ('created_at', models.DateTimeField()),
                ('sent', models.BooleanField()),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='reports.reportsnapshot')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('snapshot', 'reader'), name='report_delivery_unique_snapshot_reader')],
            },
        ),
        migrations.CreateModel(
            name='ReportSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60)),
                ('frequency', models.CharField(choices=[('weekly', 'Every week'), ('only_with_problems', 'Only when something is late or at risk'), ('never', 'Never')], default='weekly', max_length=20)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_subscriptions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'scope'), name='report_subscription_unique_user_scope')],
            },
        ),
    ]
