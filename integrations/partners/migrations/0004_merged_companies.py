
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('partners', '0003_company_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='partner',
            name='merged_into',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged_partners', to='partners.partner'),
        ),
        migrations.AlterField(
            model_name='partner',
            name='verification_state',
            field=models.CharField(choices=[('unverified', 'Unverified'), ('verified', 'Verified'), ('needs_decision', 'Needs a decision'), ('rejected', 'Rejected'), ('closed', 'Closed')], default='unverified', editable=False, max_length=20),
        ),
    ]
