"""Forms of issues: reasons of decisions, and disputes."""

from collections.abc import Sequence
from datetime import datetime

from django import forms
from django.template.loader import render_to_string
from django.utils.translation import gettext as _, gettext_lazy

from integrations.sla.issue_decisions import DISPUTE_DECISIONS, DecisionPreview, list_changes
from portal.core.form_fields import MultiLineField
from portal.ui.components.inline import option


class ReasonForm(forms.Form):
    """Reason that both sides can read in the history."""

    reason = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        rows=3,
        error_messages={"required": gettext_lazy("Enter a reason.")},
    )


class DisputeForm(ReasonForm):
    """Decision about a dispute with its reason."""

    decision = forms.ChoiceField(
        label=gettext_lazy("Outcome"),
        widget=forms.RadioSelect,
        choices=[(name, gettext_lazy(decision.texts.label)) for name, decision in DISPUTE_DECISIONS.items()],
        error_messages={"required": gettext_lazy("Select a decision.")},
    )
    field_order = ("decision", "reason")

    def describe_choices(self, previews: Sequence[DecisionPreview], now: datetime) -> None:
        """Offer only the decisions that are possible now, each with its explanation and effect."""
        hints = {
            decision: render_to_string(
                "sla/decision_hint.html",
                {"decision": decision, "effect": effect, "changes": list_changes(effect, now) if effect else []},
            )
            for decision, effect in previews
        }
        choices = [(decision.name, option(_(decision.texts.label), hint=hint)) for decision, hint in hints.items()]
        self.fields["decision"].choices = choices  # type: ignore[attr-defined]
