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
            name='ReportSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60)),
                ('week', models.CharField(max_length=8)),
                ('figures', models.JSONField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('-week', 'scope'),
                'constraints': [models.UniqueConstraint(fields=('scope', 'week'), name='report_snapshot_unique_scope_week')],
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
