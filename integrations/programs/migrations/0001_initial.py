from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='RegistryProvider',
            fields=[
                ('registry_id', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('full_name', models.CharField(db_index=True, max_length=160, verbose_name='full name')),
                ('namespace', models.CharField(db_index=True, max_length=80)),
                ('name', models.CharField(max_length=80)),
                ('name_key', models.CharField(db_index=True, editable=False, max_length=120)),
                ('tier', models.CharField(max_length=20)),
                ('source', models.URLField(max_length=300)),
                ('repository', models.CharField(db_index=True, editable=False, max_length=200)),
                ('downloads', models.BigIntegerField(default=0)),
                ('description', models.TextField(blank=True)),
                ('warning', models.TextField(blank=True)),
                ('imported_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('full_name',),
            },
        ),
    ]
