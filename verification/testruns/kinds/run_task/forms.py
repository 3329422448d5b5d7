"""What may people type to have a run task rehearsed, and is it fit? The key is not put back into a page."""

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from integrations.submissions.forms.credentials import SecretText, Unshown
from portal.core.form_fields import Address
from portal.core.text_fields import Line, refuse_unseen
from verification.sources import outbound
from verification.sources.errors import Refused
from verification.sources.http import urls
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, STAGES
from verification.testruns.kinds.run_task.scenario import said

MOST_PLAN = 500_000
PLAN_HELP = _(
    "Plan as JSON, if your service decides by it: what “terraform show -json” prints. Ours is used if left out."
)


class Workspace(Line):
    """A workspace's name."""

    def __init__(self, usual: str, **kwargs: Any) -> None:
        super().__init__(
            required=False, max_length=90, help_text=format_lazy(_("“{usual}” if left out."), usual=usual), **kwargs
        )


class Key(SecretText):
    """A key, which holds nothing that cannot be seen."""

    def __init__(self, **kwargs: Any) -> None:
        widget = Unshown(attrs={"rows": 1, "autocomplete": "off", "spellcheck": "false"})
        super().__init__(required=False, max_length=500, widget=widget, **kwargs)

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        refuse_unseen(text)
        return text


class Plan(forms.CharField):
    """A plan as JSON, kept as it was written."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=MOST_PLAN, strip=True, help_text=PLAN_HELP, **kwargs)

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\t", " ")  # the same JSON
        refuse_unseen(text)
        return text

    def validate(self, value: str) -> None:
        super().validate(value)
        try:
            fits = not value or isinstance(json.loads(value), dict)
        except (ValueError, RecursionError):
            fits = False
        if not fits:
            raise ValidationError(_("This is no JSON object. Paste the whole output of “terraform show -json”."))


class Rehearse(forms.Form):
    """One rehearsal: where, signed with what, which stages, and how the two runs differ."""

    url = Address(label=_("Address of the endpoint"), max_length=2000)
    key = Key(
        label=_("HMAC key"),
        help_text=_("Encrypted at once, used for this rehearsal and then forgotten. Left out: requests are unsigned."),
    )  # fmt: skip
    stages = forms.MultipleChoiceField(
        label=_("Stages"), choices=[(stage, said(stage)) for stage in STAGES], widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one stage.")},
    )  # fmt: skip
    passing_workspace = Workspace(PASSING.workspace, label=_("Workspace of the run that is to pass"))
    failing_workspace = Workspace(FAILING.workspace, label=_("Workspace of the run that is to fail"))
    passing_plan = Plan(label=_("Plan that is to pass"))
    failing_plan = Plan(label=_("Plan that is to fail"))

    def clean_url(self) -> str:
        """The address, if the guard of all our requests would let it through."""
        url = str(self.cleaned_data["url"])
        try:
            urls.read(url, loopback=outbound().loopback)
        except Refused as refusal:
            raise ValidationError(str(refusal)) from refusal
        return url
