"""Form for the automatic assignment of waiting integrations."""

from django import forms
from django.utils.translation import gettext_lazy

from integrations.reviews.services.rebalancing import RULES, SCOPES


class RebalancingForm(forms.Form):
    """Rule and scope of a plan."""

    scope = forms.ChoiceField(label=gettext_lazy("Integrations"), choices=list(SCOPES.items()))
    rule = forms.ChoiceField(label=gettext_lazy("Rule"), choices=list(RULES.items()))
