import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('audit', '0001_initial'),
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Escalation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('breaches', 'Breaches'), ('action', 'Action of the program')], max_length=10)),
                ('due_at', models.DateTimeField()),
                ('began_at', models.DateTimeField()),
                ('next_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('notified_addresses', models.JSONField(default=list)),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='audit.auditevent')),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='escalations', to='submissions.integration')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='escalation_next_at')],
                'constraints': [models.UniqueConstraint(fields=('integration', 'kind', 'due_at'), name='escalation_unique_integration_kind_due_at')],
            },
        ),
    ]
