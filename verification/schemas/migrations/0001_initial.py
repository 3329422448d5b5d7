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
            name='StoredSchema',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=250)),
                ('source', models.CharField(max_length=300)),
                ('digest', models.CharField(max_length=64)),
                ('body', models.BinaryField()),
                ('resources', models.PositiveIntegerField()),
                ('data_sources', models.PositiveIntegerField()),
                ('given_at', models.DateTimeField()),
                ('given_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='schemas', to='submissions.integration')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('integration', 'version'), name='one_schema_a_version')],
            },
        ),
    ]
