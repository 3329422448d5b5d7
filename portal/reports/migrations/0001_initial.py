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
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60)),
                ('week', models.CharField(max_length=8)),
                ('figures', models.JSONField()),
                ('made_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('-week', 'scope'),
                'constraints': [models.UniqueConstraint(fields=('scope', 'week'), name='one_snapshot_a_week')],
            },
        ),
        migrations.CreateModel(
            name='ReportWish',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=60)),
                ('frequency', models.CharField(choices=[('weekly', 'Every week'), ('trouble', 'Only when something is late or at risk'), ('never', 'Never')], default='weekly', max_length=10)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_wishes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'scope'), name='one_wish_a_scope')],
            },
        ),
        migrations.CreateModel(
            name='ReportCopy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reader', models.EmailField(max_length=254)),
                ('made_at', models.DateTimeField()),
                ('sent', models.BooleanField()),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='copies', to='reports.snapshot')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('snapshot', 'reader'), name='one_copy_a_reader')],
            },
        ),
    ]
