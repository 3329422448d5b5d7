"""What may people type to have a run task rehearsed, and is it fit? The key is not put back into a page."""

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from integrations.submissions.forms.credentials import SecretTextField, WriteOnlyTextarea
from portal.core.form_fields import WebAddressField
from portal.core.text_fields import SingleLineField, reject_invisible_characters
from verification.sources import build_outbound_client
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, STAGES
from verification.testruns.kinds.run_task.scenario import format_stage

MAX_PLAN_CHARACTERS = 500_000
PLAN_HELP_TEXT = _(
    "Plan as JSON, if your service decides by it: what “terraform show -json” prints. Ours is used if left out."
)


class WorkspaceField(SingleLineField):
    """A workspace's name."""

    def __init__(self, default: str, **kwargs: Any) -> None:
        super().__init__(
            required=False, max_length=90, help_text=format_lazy(_("“{usual}” if left out."), usual=default), **kwargs
        )


class HmacKeyField(SecretTextField):
    """A key, which holds nothing that cannot be seen."""

    def __init__(self, **kwargs: Any) -> None:
        widget = WriteOnlyTextarea(attrs={"rows": 1, "autocomplete": "off", "spellcheck": "false"})
        super().__init__(required=False, max_length=500, widget=widget, **kwargs)

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        reject_invisible_characters(text)
        return text


class PlanField(forms.CharField):
    """A plan as JSON, kept as it was written."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=MAX_PLAN_CHARACTERS, strip=True, help_text=PLAN_HELP_TEXT, **kwargs)

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\t", " ")  # the same JSON
        reject_invisible_characters(text)
        return text

    def validate(self, value: str) -> None:
        super().validate(value)
        try:
            is_object = not value or isinstance(json.loads(value), dict)
        except (ValueError, RecursionError):
            is_object = False
        if not is_object:
            raise ValidationError(_("This is no JSON object. Paste the whole output of “terraform show -json”."))


class RunTaskTestForm(forms.Form):
    """One rehearsal: where, signed with what, which stages, and how the two runs differ."""

    url = WebAddressField(label=_("Address of the endpoint"), max_length=2000)
    key = HmacKeyField(
        label=_("HMAC key"),
        help_text=_("Encrypted at once, used for this rehearsal and then forgotten. Left out: requests are unsigned."),
    )  # fmt: skip
    stages = forms.MultipleChoiceField(
        label=_("Stages"),
        choices=[(stage, format_stage(stage)) for stage in STAGES],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one stage.")},
    )
    passing_workspace = WorkspaceField(PASSING.workspace, label=_("Workspace of the run that is to pass"))
    failing_workspace = WorkspaceField(FAILING.workspace, label=_("Workspace of the run that is to fail"))
    passing_plan = PlanField(label=_("Plan that is to pass"))
    failing_plan = PlanField(label=_("Plan that is to fail"))

    def clean_url(self) -> str:
        """The address, if the guard of all our requests would let it through."""
        url = str(self.cleaned_data["url"])
        try:
            urls.parse_url(url, loopback=build_outbound_client().loopback)
        except RequestRefusedError as refusal:
            raise ValidationError(str(refusal)) from refusal
        return url
