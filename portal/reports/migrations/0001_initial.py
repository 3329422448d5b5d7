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
                ('scope', models.CharField(max_length=100, unique=True)),
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
                ('scope', models.CharField(max_length=100)),
                ('period', models.CharField(max_length=8)),
                ('kind', models.CharField(choices=[('week', 'week'), ('month', 'month'), ('quarter', 'quarter')], max_length=8)),
                ('end_day', models.DateField()),
                ('figures', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('-end_day', 'kind', 'scope'),
                'constraints': [models.UniqueConstraint(fields=('scope', 'period'), name='report_snapshot_unique_scope_period')],
            },
        ),
        migrations.CreateModel(
            name='ExternalRecipient',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=100)),
                ('email', models.EmailField(max_length=254)),
                ('frequency', models.CharField(choices=[('weekly', 'Every week'), ('only_with_problems', 'Every week, if something is late or at risk'), ('monthly', 'Every month'), ('quarterly', 'Every quarter'), ('never', 'Never')], default='weekly', max_length=20)),
                ('added_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('email', 'pk'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('scope', 'email'), name='external_recipient_unique_scope_email')],
            },
        ),
        migrations.CreateModel(
            name='ReportSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=100)),
                ('frequency', models.CharField(choices=[('weekly', 'Every week'), ('only_with_problems', 'Every week, if something is late or at risk'), ('monthly', 'Every month'), ('quarterly', 'Every quarter'), ('never', 'Never')], default='weekly', max_length=20)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_subscriptions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'scope'), name='report_subscription_unique_user_scope')],
            },
        ),
    ]
