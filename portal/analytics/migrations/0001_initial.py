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
            name='Passage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('program_key', models.CharField(max_length=40)),
                ('stage', models.CharField(max_length=20)),
                ('holder', models.CharField(max_length=20)),
                ('round', models.PositiveSmallIntegerField(default=0)),
                ('began', models.DateTimeField()),
                ('since', models.DateTimeField()),
                ('until', models.DateTimeField(null=True)),
                ('leaves', models.BooleanField(default=False)),
                ('tenths', models.PositiveIntegerField(null=True)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='submissions.integration')),
            ],
            options={
                'ordering': ('pk',),
                'indexes': [models.Index(condition=models.Q(('leaves', True)), fields=['until', 'program_key', 'stage', 'tenths'], name='stays_by_end'), models.Index(fields=['until', 'program_key', 'stage', 'holder', 'since'], name='passages_by_end')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('until', None)), fields=('integration',), name='one_open_passage')],
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('query', models.CharField(blank=True, max_length=500)),
                ('is_default', models.BooleanField(default=False)),
                ('saved_at', models.DateTimeField()),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
                ('saved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('name', 'pk'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('owner__isnull', False)), fields=('owner', 'page', 'name'), name='one_own_view_a_name'), models.UniqueConstraint(condition=models.Q(('owner', None)), fields=('page', 'name'), name='one_shared_view_a_name'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('owner', 'page'), name='one_default_a_page')],
            },
        ),
    ]
