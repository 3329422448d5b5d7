"""What is asked when a token is made?"""

from typing import Any

from django import forms

from integrations.models import Role
from integrations.plain import Line
from portal.api.scopes import offered

LIVES = (("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("365", "A year"))
USUAL = "90"
CHOOSE = {"invalid_choice": "Choose one of those that are shown."}


class TokenForm(forms.Form):
    """A name that says where it is used, what it may do, and for how long. `company`: a company's token has a role."""

    name = Line(
        max_length=60, label="Name", help_text="Where it is used, such as “ci” or “release script”.",
        error_messages={"required": "Give it a name, so that you know it again."},
    )  # fmt: skip
    scopes = forms.MultipleChoiceField(
        label="What it may do", widget=forms.CheckboxSelectMultiple,
        error_messages=CHOOSE | {"required": "Choose at least one.", "invalid_list": "Choose from the list."},
    )  # fmt: skip
    role = forms.ChoiceField(
        label="It acts as", error_messages=CHOOSE,
        choices=[(Role.EDITOR.value, "an editor"), (Role.VIEWER.value, "a viewer, who reads along")],
    )  # fmt: skip
    days = forms.ChoiceField(
        label="It lives for", choices=LIVES, initial=USUAL, error_messages=CHOOSE,
        help_text="You hear a week before it ends.",
    )  # fmt: skip

    def __init__(self, *args: Any, program: bool, company: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(scope.key, scope.does) for scope in offered(program=program, company=company)]
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]
        if not company:
            del self.fields["role"]
