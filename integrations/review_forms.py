"""What may people type around a review, and is it fit? Filters of the queue, findings, answers, words, profiles."""

from functools import cache, lru_cache
from typing import Any

from django import forms

from integrations.models import ReviewerProfile
from integrations.plain import Lines
from integrations.programs import PROGRAMS
from integrations.states import OPEN_STAGES, Holder

AGES = {"1": "1 day", "3": "3 days", "7": "1 week", "14": "2 weeks"}
HOLDERS = {
    "": "The program",
    Holder.PARTNER: "The partner",
    Holder.MACHINE: "The portal",
    Holder.THIRD_PARTY: "Others",
    "any": "Anyone",
}


@cache
def categories(program: str = "") -> list[Any]:
    """Every category of every edition as choices: of one program, else grouped by program."""
    if program:
        return list({c.key: c.name for e in PROGRAMS[program].editions for c in e.categories}.items())
    return [(PROGRAMS[key].name, categories(key)) for key in PROGRAMS]


FILTERS = ("program", "stage", "category", "age", "holder")


class QueueFilter(forms.Form):
    """What the address of the queue asks for."""

    program = forms.ChoiceField(required=False)
    stage = forms.ChoiceField(required=False)
    category = forms.ChoiceField(required=False)
    age = forms.ChoiceField(label="Waits for at least", required=False)
    holder = forms.ChoiceField(label="Whose turn", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = str(self.data.get("program", ""))
        choices = {
            "program": [("", "All"), *((key, p.name) for key, p in PROGRAMS.items())],
            "stage": [("", "All"), *((str(s), str(s).capitalize()) for s in OPEN_STAGES)],
            "category": [("", "All"), *categories(chosen if chosen in PROGRAMS else "")],
            "age": [("", "Any time"), *AGES.items()],
            "holder": [(str(key), word) for key, word in HOLDERS.items()],
        }
        for name, options in choices.items():
            field = self.fields[name]
            field.choices = options  # type: ignore[attr-defined]
            field.error_messages["invalid_choice"] = "There is no such choice: all are shown."


@lru_cache(maxsize=500)
def filters_of(given: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """What is chosen, and the fields as HTML, for the words of the address in the order of FILTERS.

    Kept, since nothing else matters: checking and drawing five choices takes longer than the rest of the page.
    """
    form = QueueFilter(dict(zip(FILTERS, given, strict=True)))
    form.is_valid()
    return form.cleaned_data, form.render()


class FindingForm(forms.Form):
    """One remark on one requirement."""

    text = Lines(
        label="What should change",
        help_text="The partner reads it when changes are requested. Say what you saw and what settles it.",
        max_length=4000,
        error_messages={"required": "Say what should change."},
    )


class AnswerForm(forms.Form):
    """What the partner did about a finding."""

    answer = Lines(
        label="What you changed",
        help_text="Or where it can be seen: a commit, a release, a page.",
        max_length=4000,
        error_messages={"required": "Say what you changed, or where it can be seen."},
    )


class SayForm(forms.Form):
    """A word in the thread, or a note of the program."""

    body = Lines(label="Message", max_length=8000, error_messages={"required": "There is nothing to say yet."})
    internal = forms.BooleanField(
        label="Keep it as a note", help_text="Notes are for the program. The partner never sees them.", required=False
    )

    def __init__(self, *args: Any, may_note: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_note:
            del self.fields["internal"]


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a reviewer takes on, and when they are away."""

    programs = forms.MultipleChoiceField(
        label="Programs you review",
        help_text="None ticked: you are suggested for every program.",
        choices=[(key, p.name) for key, p in PROGRAMS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    most_open = forms.IntegerField(label="Most reviews at once", min_value=1, max_value=50)

    class Meta:
        model = ReviewerProfile
        fields = ("programs", "away_from", "away_until", "most_open")
        labels = {"away_from": "Away from", "away_until": "Away until"}
        help_texts = {"away_until": "The last day away. Blank: until further notice."}
        widgets = {
            name: forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d") for name in ("away_from", "away_until")
        }

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        start, end = given.get("away_from"), given.get("away_until")
        if end and not start and "away_from" not in self.errors:
            self.add_error("away_from", "Say from which day you are away.")
        if start and end and end < start:
            self.add_error("away_until", "This day is before the first day away.")
        return given
