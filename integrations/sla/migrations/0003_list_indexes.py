
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('sla', '0002_two_clocks'),
        ('submissions', '0006_list_indexes'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='slaclock',
            index=models.Index(condition=models.Q(models.Q(('is_committed', True), ('ideal_due_at__isnull', False), _connector='OR'), ('state__in', ['running', 'paused', 'overdue', 'data_incomplete'])), fields=['due_at', 'id'], name='sla_clock_open'),
        ),
        migrations.AddIndex(
            model_name='slaclock',
            index=models.Index(condition=models.Q(('is_committed', True), ('ideal_due_at__isnull', False), _connector='OR'), fields=['-stopped_at', 'due_at'], name='sla_clock_stopped'),
        ),
    ]
