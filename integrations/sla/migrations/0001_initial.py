import django.db.models.deletion
import integrations.sla.engine.types
import uuid
from django.conf import settings
from django.db import migrations, models

from portal.core.append_only import append_only


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('partners', '0001_initial'),
        ('submissions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='LabelPolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('proposed', 'Proposed'), ('accepted', 'Accepted'), ('declined', 'Declined')], default='proposed', max_length=10)),
                ('critical_labels', models.JSONField(default=list)),
                ('pause_labels', models.JSONField(default=list)),
                ('team', models.JSONField(default=list)),
                ('bots', models.JSONField(default=list)),
                ('second_accounts', models.JSONField(default=dict)),
                ('logins', models.JSONField(default=dict)),
                ('proposed_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='label_policies', to='submissions.integration')),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('proposed_at', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='MonitoredRepository',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('repository', models.CharField(max_length=200)),
                ('repository_id', models.BigIntegerField(blank=True, db_index=True, null=True)),
                ('secret', models.BinaryField(blank=True, null=True)),
                ('old_secret', models.BinaryField(blank=True, null=True)),
                ('old_secret_until', models.DateTimeField(blank=True, null=True)),
                ('hook_id', models.BigIntegerField(blank=True, null=True)),
                ('began_at', models.DateTimeField()),
                ('moved_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('data_up_to', models.DateTimeField()),
                ('poll_at', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('etags', models.JSONField(default=dict)),
                ('cursors', models.JSONField(default=dict)),
                ('last_delivery_at', models.DateTimeField(blank=True, null=True)),
                ('trouble', models.CharField(blank=True, max_length=300)),
                ('trouble_since', models.DateTimeField(blank=True, null=True)),
                ('is_hidden', models.BooleanField(default=False)),
                ('missing_since', models.DateTimeField(blank=True, null=True)),
                ('refused', models.PositiveIntegerField(default=0)),
                ('refused_at', models.DateTimeField(blank=True, null=True)),
                ('integration', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='monitored_repository', to='submissions.integration')),
            ],
            options={
                'verbose_name_plural': 'monitored repositories',
                'indexes': [
                    models.Index(condition=models.Q(('poll_at__isnull', False)), fields=['poll_at'], name='monitored_repository_poll_at'),
                    models.Index(condition=models.Q(('ended_at', None)), fields=['data_up_to'], name='monitored_repository_data'),
                ],
            },
        ),
        migrations.CreateModel(
            name='GitHubDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('delivery_id', models.CharField(max_length=80)),
                ('event', models.CharField(max_length=60)),
                ('digest', models.CharField(db_index=True, max_length=64)),
                ('body', models.BinaryField()),
                ('received_at', models.DateTimeField()),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('outcome', models.CharField(blank=True, max_length=40)),
                ('forgotten_at', models.DateTimeField(blank=True, null=True)),
                ('monitored_repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='sla.monitoredrepository')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('read_at', None)), fields=['id'], name='github_delivery_unread'),
                    models.Index(condition=models.Q(('forgotten_at', None), ('read_at__isnull', False)), fields=['received_at'], name='github_delivery_expiry'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('monitored_repository', 'delivery_id'), name='github_delivery_unique_repository_delivery'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SupportIssue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('edition', models.CharField(max_length=10)),
                ('team', models.JSONField(db_default=[], default=list)),
                ('github_id', models.BigIntegerField()),
                ('number', models.PositiveIntegerField()),
                ('title', models.CharField(max_length=300)),
                ('url', models.URLField(max_length=400)),
                ('author', models.CharField(max_length=100)),
                ('opened_at', models.DateTimeField()),
                ('is_open', models.BooleanField(default=True)),
                ('severity', models.CharField(choices=[('critical', 'critical'), ('other', 'other')], default=integrations.sla.engine.types.Severity['OTHER'], max_length=10)),
                ('last_commenter_role', models.CharField(blank=True, max_length=10)),
                ('last_commented_at', models.DateTimeField(blank=True, null=True)),
                ('updated_at', models.DateTimeField()),
                ('projected_at', models.DateTimeField(blank=True, null=True)),
                ('disputed', models.CharField(blank=True, choices=[('severity', 'Severity'), ('breach', 'Breach')], db_default='', default='', max_length=10)),
                ('disputed_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('calendar', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partnercalendar')),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='issues', to='submissions.integration')),
                ('policy', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='sla.labelpolicy')),
                ('monitored_repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='issues', to='sla.monitoredrepository')),
            ],
            options={
                'ordering': ('-opened_at', '-pk'),
                'indexes': [
                    models.Index(condition=models.Q(('disputed_at__isnull', False)), fields=['disputed_at'], name='support_issue_disputed_at'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('monitored_repository', 'github_id'), name='support_issue_unique_repository_github_id'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SlaClock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_type', models.CharField(max_length=10)),
                ('is_committed', models.BooleanField()),
                ('severity', models.CharField(choices=[('critical', 'critical'), ('other', 'other')], max_length=10)),
                ('state', models.CharField(choices=[('running', 'running'), ('paused', 'paused'), ('met', 'met'), ('late', 'late'), ('overdue', 'overdue'), ('data_incomplete', 'data_incomplete'), ('not_applicable', 'not_applicable')], max_length=16)),
                ('started_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('ideal_due_at', models.DateTimeField(blank=True, null=True)),
                ('stopped_at', models.DateTimeField(blank=True, null=True)),
                ('warn50_at', models.DateTimeField(blank=True, null=True)),
                ('warn75_at', models.DateTimeField(blank=True, null=True)),
                ('warn90_at', models.DateTimeField(blank=True, null=True)),
                ('warned', models.PositiveSmallIntegerField(default=0)),
                ('breached_at', models.DateTimeField(blank=True, null=True)),
                ('next_at', models.DateTimeField(blank=True, null=True)),
                ('counted_seconds', models.BigIntegerField(default=0)),
                ('paused_seconds', models.BigIntegerField(default=0)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='clocks', to='submissions.integration')),
                ('monitored_repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='clocks', to='sla.monitoredrepository')),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='clocks', to='sla.supportissue')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='sla_clock_next_at'),
                    models.Index(fields=['integration', 'state'], name='sla_clock_integration_state'),
                    models.Index(condition=models.Q(models.Q(('is_committed', True), ('ideal_due_at__isnull', False), _connector='OR'), ('state__in', ['running', 'paused', 'overdue', 'data_incomplete'])), fields=['due_at', 'id'], name='sla_clock_open'),
                    models.Index(condition=models.Q(('is_committed', True), ('ideal_due_at__isnull', False), _connector='OR'), fields=['-stopped_at', 'due_at'], name='sla_clock_stopped'),
                    models.Index(condition=models.Q(('is_committed', True), ('state__in', ['running', 'overdue'])), fields=['warn75_at'], name='sla_clock_urgent'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('issue', 'target_type'), name='sla_clock_unique_issue_target_type'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=120, unique=True)),
                ('kind', models.CharField(max_length=12)),
                ('share', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('not_before', models.DateTimeField()),
                ('notified_at', models.DateTimeField(blank=True, null=True)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='alerts', to='submissions.integration')),
                ('clock', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='alerts', to='sla.slaclock')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('notified_at', None)), fields=['not_before'], name='alert_not_before'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SlaBreach',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_type', models.CharField(max_length=10)),
                ('severity', models.CharField(choices=[('critical', 'critical'), ('other', 'other')], max_length=10)),
                ('due_at', models.DateTimeField()),
                ('found_at', models.DateTimeField()),
                ('retracted_at', models.DateTimeField(blank=True, null=True)),
                ('retraction_reason', models.CharField(blank=True, max_length=300)),
                ('outcome', models.CharField(blank=True, max_length=10)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='breaches', to='submissions.integration')),
                ('clock', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='breaches', to='sla.slaclock')),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='breaches', to='sla.supportissue')),
            ],
            options={
                'ordering': ('-due_at', '-pk'),
                'indexes': [
                    models.Index(fields=['integration', 'due_at'], name='sla_breach_integration_due_at'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('retracted_at', None)), fields=('clock', 'due_at'), name='sla_breach_unique_clock_due_at'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SupportIssueEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=120)),
                ('kind', models.CharField(choices=[('opened', 'opened'), ('edited', 'edited'), ('commented', 'commented'), ('comment_edited', 'comment_edited'), ('comment_deleted', 'comment_deleted'), ('labeled', 'labeled'), ('unlabeled', 'unlabeled'), ('closed', 'closed'), ('reopened', 'reopened'), ('locked', 'locked'), ('unlocked', 'unlocked'), ('transferred', 'transferred'), ('deleted', 'deleted'), ('severity_lowered', 'severity_lowered'), ('not_an_issue', 'not_an_issue')], max_length=20)),
                ('at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
                ('source', models.CharField(max_length=10)),
                ('actor_id', models.BigIntegerField(default=0)),
                ('actor', models.CharField(blank=True, max_length=254)),
                ('actor_type', models.CharField(blank=True, max_length=20)),
                ('association', models.CharField(blank=True, max_length=30)),
                ('text', models.TextField(blank=True)),
                ('label', models.CharField(blank=True, max_length=100)),
                ('data', models.JSONField(default=dict)),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='sla.supportissue')),
            ],
            options={
                'ordering': ('at', 'pk'),
                'constraints': [
                    models.UniqueConstraint(fields=('issue', 'key'), name='support_issue_event_unique_issue_key'),
                ],
            },
        ),
        append_only("sla_supportissueevent"),
    ]
