from django.db import migrations, models

from integrations.partners.reserved_names import compute_lookalike_key


def fill_lookalike_keys(apps, schema_editor):
    """Fill the new column of existing partners, as saving them does."""
    partners = apps.get_model('partners', 'Partner')
    for partner in partners.objects.iterator():
        partners.objects.filter(pk=partner.pk).update(lookalike_key=compute_lookalike_key(partner.name))


class Migration(migrations.Migration):

    dependencies = [
        ('partners', '0002_company_verification'),
    ]

    operations = [
        migrations.AddField(
            model_name='partner',
            name='approved_name',
            field=models.CharField(blank=True, editable=False, max_length=120),
        ),
        migrations.AddField(
            model_name='partner',
            name='lookalike_key',
            field=models.CharField(db_index=True, default='', editable=False, max_length=120),
        ),
        migrations.AlterField(
            model_name='partner',
            name='verification_state',
            field=models.CharField(choices=[('unverified', 'Unverified'), ('verified', 'Verified'), ('needs_decision', 'Needs a decision'), ('rejected', 'Rejected')], default='unverified', editable=False, max_length=20),
        ),
        migrations.RunPython(fill_lookalike_keys, migrations.RunPython.noop),
    ]
