import django.db.models.deletion
import integrations.partners.models.partners
from django.conf import settings
from django.db import migrations, models


def give_each_partner_its_token(apps, schema_editor):
    """Replace the token that adding the column gave to all rows, because each company needs its own."""
    partners = apps.get_model('partners', 'Partner')
    for partner in partners.objects.iterator():
        token = integrations.partners.models.partners.generate_verification_token()
        partners.objects.filter(pk=partner.pk).update(verification_token=token)


class Migration(migrations.Migration):

    dependencies = [
        ('partners', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='partner',
            name='verification_state',
            field=models.CharField(choices=[('unverified', 'Unverified'), ('verified', 'Verified')], default='unverified', editable=False, max_length=20),
        ),
        migrations.AddField(
            model_name='partner',
            name='verification_token',
            field=models.CharField(default=integrations.partners.models.partners.generate_verification_token, editable=False, max_length=32),
        ),
        migrations.RunPython(give_each_partner_its_token, migrations.RunPython.noop),
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
