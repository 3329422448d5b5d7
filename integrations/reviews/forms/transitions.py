"""Forms of transitions and of edition changes."""

from collections.abc import Sequence
from typing import Unpack

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop, ngettext
from django_fsm import Transition

from integrations.submissions.models import Integration
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.states import ResponsibleParty
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.core.form_fields import FormArguments, MultiLineField
from portal.core.value_types import NamedValues
from portal.ui.name_confirmation import NameConfirmationField

HOLD_PARTY_LABELS = {
    ResponsibleParty.THIRD_PARTY: gettext_lazy("Someone else"),
    ResponsibleParty.PARTNER: gettext_lazy("The partner"),
    ResponsibleParty.PROGRAM: gettext_lazy("The program"),
}
PARTNER_NOTE_LABEL = gettext_noop("Note for the partner")
PROGRAM_NOTE_LABEL = gettext_noop("Note for the program")


class EditionMigrationForm(forms.Form):
    """Target edition and a note for the partner."""

    to = forms.ChoiceField(
        label=gettext_lazy("Edition"), error_messages={"invalid_choice": gettext_lazy("Unknown edition.")}
    )
    note = MultiLineField(label=gettext_lazy("Note for the partner"), required=False, max_length=2000, rows=3)

    def __init__(self, integration: Integration, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        other_editions = [e for e in reversed(integration.program.editions) if e.date != integration.edition_date]
        self.fields["to"].choices = [(e.date, f"{e.date}: {e.title}") for e in other_editions]  # type: ignore[attr-defined]


def _build_confirmation(writers: Sequence[str]) -> forms.BooleanField:
    """Return the required checkbox of a decision that the user makes although these people are writing."""
    count = len(writers)
    names = {"names": ", ".join(writers)}
    label = ngettext("Decide even though %(names)s is writing", "Decide even though %(names)s are writing", count)
    message = ngettext(
        "Select the checkbox to decide even though %(names)s is writing.",
        "Select the checkbox to decide even though %(names)s are writing.",
        count,
    )
    return forms.BooleanField(label=label % names, error_messages={"required": message % names})


class TransitionForm(forms.Form):
    """Inputs of a transition: its note, further fields of its own, and the version that the user saw."""

    tier = forms.ChoiceField(label=gettext_lazy("Tier"))
    waits_for = forms.ChoiceField(
        label=gettext_lazy("Waiting for"), choices=list(HOLD_PARTY_LABELS.items()), initial=ResponsibleParty.THIRD_PARTY
    )
    note = MultiLineField(required=False, max_length=4000, rows=4)
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(
        self,
        integration: Integration,
        transition: Transition,
        *,
        for_program: bool = True,
        writers: Sequence[str] = (),
        **kwargs: Unpack[FormArguments],
    ) -> None:
        """Create the form.

        Args:
            integration: The integration, which determines the choices.
            transition: The transition, which determines the fields.
            for_program: Whether the user acts for the program, so that the note is for the partner.
            writers: Others who are writing a finding or decision, which the user must confirm.
        """
        super().__init__(**kwargs)
        if writers:
            self.fields["confirm_writing"] = _build_confirmation(writers)
        note = self.fields["note"]
        note.required = guards.require_note in transition.custom["guards"]
        # Both sides perform some transitions, such as reopening, and the other side reads the note.
        default_label = PARTNER_NOTE_LABEL if for_program else PROGRAM_NOTE_LABEL
        note.label = _(TRANSITION_OPTIONS[transition.name].note or default_label)
        note.error_messages["required"] = _("Enter a reason. We record it with the decision.")
        if transition.name == "put_on_hold":
            # The length of the column `hold_reason`.
            note.validators.append(MaxLengthValidator(500))
            # After an error, the wrong field gets the focus.
            self.fields["waits_for"].widget.attrs["autofocus"] = not self.is_bound
        else:
            del self.fields["waits_for"]
        if transition.name == "request_tier":
            tiers = [t for t in integration.edition.tiers if t.on_request and t.key != integration.tier]
            self.fields["tier"].choices = [(t.key, t.name) for t in tiers]  # type: ignore[attr-defined]
        else:
            del self.fields["tier"]
        if TRANSITION_OPTIONS[transition.name].confirms_name:
            self.fields["confirm_name"] = NameConfirmationField(integration.name)

    def get_inputs(self) -> NamedValues:
        """Return the selected inputs besides the note, or the first choice of each."""
        data = getattr(self, "cleaned_data", {})
        names = [name for name in ("tier", "waits_for") if name in self.fields]
        return {name: data.get(name) or str((self.fields[name].choices or [("", "")])[0][0]) for name in names}  # type: ignore[attr-defined]
