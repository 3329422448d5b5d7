import django.db.models.deletion
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
            name='ProviderSchema',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=250)),
                ('source', models.CharField(max_length=300)),
                ('digest', models.CharField(max_length=64)),
                ('body', models.BinaryField()),
                ('resources', models.PositiveIntegerField()),
                ('data_sources', models.PositiveIntegerField()),
                ('submitted_at', models.DateTimeField()),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='schemas', to='submissions.integration')),
                ('submitted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('integration', 'version'), name='provider_schema_unique_integration_version')],
            },
        ),
    ]
