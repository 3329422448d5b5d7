"""Which integrations does a list show? Its filters and its order, read from the address."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from integrations.forms.queue import categories
from integrations.plain import Line, refuse_unseen
from integrations.programs import PROGRAMS
from integrations.states import Holder, Stage, Standing

SORTS = {
    "newest": ("Newest first", ("-created_at", "-pk")),
    "name": ("By name", ("name_key", "pk")),
    "company": ("By company", ("partner__name", "name_key", "pk")),
    "due": ("Soonest due", ("turn_due_at", "pk")),
    "since": ("Longest waiting", ("turn_since", "pk")),
}
STANDINGS = {
    "": "Any",
    Standing.NONE: "Not listed",
    Standing.VERIFIED: "Listed",
    Standing.NOTICE: "Under notice",
    Standing.SUSPENDED: "Suspended",
    Standing.REMOVED: "Removed",
}
HOLDERS = {
    "": "Anyone",
    Holder.PARTNER: "The partner",
    Holder.PROGRAM: "The program",
    Holder.MACHINE: "The portal",
    Holder.THIRD_PARTY: "Others",
}


class ListFilter(forms.Form):
    """What the address of the list asks for. Nonsense in one field is said and leaves the others in force."""

    q = Line(
        label="Name or repository", required=False, max_length=100, widget=forms.TextInput(attrs={"type": "search"})
    )
    program = forms.ChoiceField(required=False)
    stage = forms.ChoiceField(required=False)
    category = forms.ChoiceField(required=False)
    holder = forms.ChoiceField(label="Whose turn", required=False)
    standing = forms.ChoiceField(required=False)
    sort = forms.ChoiceField(label="Order", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        program = str(self.data.get("program", ""))
        options: dict[str, list[Any]] = {
            "program": [("", "All"), *((key, p.name) for key, p in PROGRAMS.items())],
            "stage": [("", "All"), *((str(s), str(s).capitalize()) for s in Stage)],
            "category": [("", "All"), *categories(program if program in PROGRAMS else "")],
            "holder": [(str(key), word) for key, word in HOLDERS.items()],
            "standing": [(str(key), word) for key, word in STANDINGS.items()],
            "sort": [(key, word) for key, (word, _) in SORTS.items()],
        }
        for name, choices in options.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
            self.fields[name].error_messages["invalid_choice"] = "There is no such choice: all are shown."


def searched(text: str) -> str:
    """Words from the address of a search: one line, not too long, without what cannot be seen."""
    words = " ".join(text.replace("\x00", "")[:200].split())
    try:
        refuse_unseen(words)
    except ValidationError:
        return "".join(char for char in words if char.isprintable())
    return words
