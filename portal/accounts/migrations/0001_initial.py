import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import portal.accounts.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='email address')),
                ('name', models.CharField(blank=True, max_length=120, verbose_name='name')),
                ('zone', models.CharField(default='UTC', max_length=64, validators=[portal.accounts.models.validate_time_zone], verbose_name='time zone')),
                ('zone_chosen', models.BooleanField(default=False, help_text="If not selected, the portal uses the browser's time zone.", verbose_name='time zone selected by user')),
                ('is_reviewer', models.BooleanField(default=False, help_text='Decides on integrations for the programs.', verbose_name='reviewer')),
                ('is_auditor', models.BooleanField(default=False, help_text='Reads everything and changes nothing.', verbose_name='auditor')),
                ('program_roles', models.JSONField(blank=True, default=list, verbose_name='roles in programs')),
                ('roles_revoked_at', models.DateTimeField(editable=False, null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_unique_email'),
                ],
                'indexes': [models.Index(condition=models.Q(models.Q(('is_reviewer', True), ('is_staff', True), models.Q(('program_roles', []), _negated=True), _connector='OR'), ('is_active', True)), fields=['name'], name='user_writes_for_programs')],
            },
            managers=[
                ('objects', portal.accounts.models.EmailUserManager()),
            ],
        ),
        migrations.CreateModel(
            name='RoleRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=200)),
                ('requested_at', models.DateTimeField()),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='role_requests', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('requested_at',),
                'constraints': [
                    models.UniqueConstraint(fields=('user',), name='role_request_unique_user'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SecurityEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('at', models.DateTimeField(db_index=True)),
                ('address', models.EmailField(blank=True, max_length=254)),
                ('actor', models.CharField(blank=True, max_length=150)),
                ('detail', models.CharField(blank=True, max_length=200)),
                ('ip', models.GenericIPAddressField(null=True)),
                ('user_agent', models.CharField(blank=True, max_length=200)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='security_events', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-at', '-pk'),
                'indexes': [
                    models.Index(fields=['user', '-at'], name='security_event_user_at'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StaffInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, verbose_name='email address')),
                ('roles', models.JSONField(default=list)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-created_at',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('accepted_at', None), ('revoked_at', None)), fields=('email',), name='staff_invitation_unique_open_email')],
            },
        ),
    ]
