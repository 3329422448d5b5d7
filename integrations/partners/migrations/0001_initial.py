import django.db.models.deletion
import integrations.partners.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Partner',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('skeleton', models.CharField(editable=False, max_length=160, unique=True)),
                ('name_key', models.CharField(db_index=True, editable=False, max_length=120)),
                ('lookalike_key', models.CharField(db_index=True, default='', editable=False, max_length=120)),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('domain', models.CharField(blank=True, db_index=True, max_length=253, verbose_name='email domain')),
                ('website', models.URLField(blank=True, verbose_name='website')),
                ('created_at', models.DateTimeField()),
                ('verification_state', models.CharField(choices=[('unverified', 'Unverified'), ('verified', 'Verified'), ('needs_decision', 'Needs a decision'), ('rejected', 'Rejected'), ('closed', 'Closed')], default='unverified', editable=False, max_length=20)),
                ('approved_name', models.CharField(blank=True, editable=False, max_length=120)),
                ('contacts_confirmed_at', models.DateTimeField(editable=False, null=True)),
                ('contacts_requested_at', models.DateTimeField(editable=False, null=True)),
                ('verification_token', models.CharField(default=integrations.partners.models.generate_verification_token, editable=False, max_length=32)),
                ('alliances_manager', models.ForeignKey(blank=True, limit_choices_to={'is_reviewer': True}, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='managed_partners', to=settings.AUTH_USER_MODEL, verbose_name='Alliances manager')),
                ('merged_into', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged_partners', to='partners.partner')),
            ],
            options={
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, verbose_name='email address')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('editor', 'Editor'), ('viewer', 'Viewer')], default='editor', max_length=10)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='partners.partner')),
            ],
        ),
        migrations.CreateModel(
            name='PartnerCalendar',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('valid_from', models.DateTimeField()),
                ('zone', models.CharField(default='UTC', max_length=60)),
                ('workdays', models.JSONField(default=list)),
                ('country', models.CharField(blank=True, max_length=2)),
                ('subdivision', models.CharField(blank=True, max_length=20)),
                ('holidays', models.JSONField(default=dict)),
                ('extra_days', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calendars', to='partners.partner')),
            ],
            options={
                'ordering': ('valid_from', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('editor', 'Editor'), ('viewer', 'Viewer')], max_length=10)),
                ('joined_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='partners.partner')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('partner', 'user'), name='membership_unique_current')],
            },
        ),
        migrations.CreateModel(
            name='JoinRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message', models.CharField(blank=True, max_length=500)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('accepted', 'Accepted'), ('declined', 'Declined')], default='waiting', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='join_requests', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='join_requests', to='partners.partner')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('partner', 'user'), name='join_request_unique_waiting')],
            },
        ),
        migrations.CreateModel(
            name='ConflictOfInterest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('marked', 'Worked for this company before'), ('former_member', 'Former member of this company'), ('email_domain', "Email address at the company's domain"), ('own_submission', 'Own submission')], max_length=20)),
                ('reason', models.CharField(max_length=300)),
                ('recorded_at', models.DateTimeField()),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='partners.partner')),
            ],
            options={
                'ordering': ('recorded_at', 'pk'),
                'constraints': [models.UniqueConstraint(fields=('partner', 'user'), name='conflict_unique')],
            },
        ),
        migrations.CreateModel(
            name='PartnerVerification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('method', models.CharField(choices=[('dns', 'DNS record'), ('email', 'Email address'), ('github', 'GitHub organization'), ('decision', 'Decision of the program')], max_length=10)),
                ('subject', models.CharField(blank=True, max_length=253)),
                ('verified_at', models.DateTimeField()),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verifications', to='partners.partner')),
                ('verified_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('verified_at', 'pk'),
                'constraints': [models.UniqueConstraint(fields=('partner', 'method', 'subject'), name='partner_verification_unique')],
            },
        ),
    ]
