"""Which integrations does a list show? Its filters and its order, read from the address."""

from functools import cache
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models.choices import WORDS
from integrations.submissions.workflow.states import Holder, Stage, Standing
from portal.core.text_fields import Line

SORTS = {
    "newest": (gettext_lazy("Newest first"), ("-created_at", "-pk")),
    "name": (gettext_lazy("By name"), ("name_key", "pk")),
    "company": (gettext_lazy("By company"), ("partner__name", "name_key", "pk")),
    "due": (gettext_lazy("Soonest due"), ("turn_due_at", "pk")),
    "since": (gettext_lazy("Longest waiting"), ("turn_since", "pk")),
}
STANDINGS = {
    "": gettext_lazy("Any"),
    Standing.NONE: gettext_lazy("Not listed"),
    Standing.VERIFIED: gettext_lazy("Listed"),
    Standing.NOTICE: gettext_lazy("Under notice"),
    Standing.SUSPENDED: gettext_lazy("Suspended"),
    Standing.REMOVED: gettext_lazy("Removed"),
}
HOLDERS = {
    "": gettext_lazy("Anyone"),
    Holder.PARTNER: gettext_lazy("The partner"),
    Holder.PROGRAM: gettext_lazy("The program"),
    Holder.MACHINE: gettext_lazy("The portal"),
    Holder.THIRD_PARTY: gettext_lazy("Others"),
}


class ListFilter(forms.Form):
    """What the address of the list asks for. Nonsense in one field is said and leaves the others in force."""

    q = Line(
        label=gettext_lazy("Name or repository"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    program = forms.ChoiceField(label=gettext_lazy("Program"), required=False)
    stage = forms.ChoiceField(label=gettext_lazy("Stage"), required=False)
    category = forms.ChoiceField(label=gettext_lazy("Category"), required=False)
    holder = forms.ChoiceField(label=gettext_lazy("Whose turn"), required=False)
    standing = forms.ChoiceField(label=gettext_lazy("Standing"), required=False)
    sort = forms.ChoiceField(label=gettext_lazy("Order"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        program = str(self.data.get("program", ""))
        options: dict[str, list[Any]] = {
            "program": [("", gettext("All")), *((key, p.name) for key, p in PROGRAMS.items())],
            "stage": [("", gettext("All")), *((str(s), gettext(WORDS[str(s)])) for s in Stage)],
            "category": [("", gettext("All")), *categories(program if program in PROGRAMS else "")],
            "holder": [(str(key), word) for key, word in HOLDERS.items()],
            "standing": [(str(key), word) for key, word in STANDINGS.items()],
            "sort": [(key, word) for key, (word, _) in SORTS.items()],
        }
        for name, choices in options.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
            self.fields[name].error_messages["invalid_choice"] = gettext("There is no such choice: all are shown.")


@cache
def categories(program: str = "") -> list[Any]:
    """Every category of every edition as choices: of one program, else grouped by program."""
    if program:
        return list({c.key: c.name for e in PROGRAMS[program].editions for c in e.categories}.items())
    return [(PROGRAMS[key].name, categories(key)) for key in PROGRAMS]
