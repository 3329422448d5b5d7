from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='GitHubRateLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True)),
                ('limit', models.PositiveIntegerField()),
                ('remaining', models.PositiveIntegerField(blank=True, null=True)),
                ('reset_at', models.DateTimeField(blank=True, null=True)),
                ('window_started_at', models.DateTimeField()),
                ('request_count', models.PositiveIntegerField(default=0)),
                ('blocked_until', models.DateTimeField(blank=True, null=True)),
                ('strikes', models.PositiveSmallIntegerField(default=0)),
                ('disabled_at', models.DateTimeField(blank=True, null=True)),
                ('disabled_reason', models.CharField(blank=True, max_length=300)),
            ],
        ),
        migrations.CreateModel(
            name='HttpCacheEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=500, unique=True)),
                ('etag', models.CharField(blank=True, max_length=200)),
                ('body', models.BinaryField()),
                ('final', models.BooleanField(default=False)),
                ('at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(db_index=True)),
            ],
        ),
    ]
