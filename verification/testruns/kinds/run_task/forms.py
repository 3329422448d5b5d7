"""Form for a run task test. It never shows the key again."""

import json

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from integrations.submissions.forms.credentials import SecretTextField, WriteOnlyTextarea
from portal.core.form_fields import WebAddressField
from portal.core.text_fields import SingleLineField, reject_invisible_characters
from verification.sources import build_outbound_client
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, STAGES
from verification.testruns.kinds.run_task.scenario import format_stage

MAX_PLAN_CHARACTERS = 500_000
PLAN_HELP_TEXT = _("Optional plan in JSON, as “terraform show -json” prints it. Default: our sample plan.")


class WorkspaceField(SingleLineField):
    """Name of a workspace."""

    def __init__(self, default: str, *, label: StrOrPromise) -> None:
        super().__init__(
            required=False,
            max_length=90,
            help_text=format_lazy(_("“{usual}” if left out."), usual=default),
            label=label,
        )


class HmacKeyField(SecretTextField):
    """A key without invisible characters."""

    def __init__(self, *, label: StrOrPromise, help_text: StrOrPromise) -> None:
        widget = WriteOnlyTextarea(attrs={"rows": 1, "autocomplete": "off", "spellcheck": "false"})
        super().__init__(required=False, max_length=500, widget=widget, label=label, help_text=help_text)

    def to_python(self, value: object) -> str:
        text = super().to_python(value)
        reject_invisible_characters(text)
        return text


class PlanField(forms.CharField):
    """Plan in JSON, kept as entered."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})

    def __init__(self, *, label: StrOrPromise) -> None:
        super().__init__(
            required=False, max_length=MAX_PLAN_CHARACTERS, strip=True, help_text=PLAN_HELP_TEXT, label=label
        )

    def to_python(self, value: object) -> str:
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
            raise ValidationError(_("Enter a JSON object. Paste the whole output of “terraform show -json”."))


class RunTaskTestForm(forms.Form):
    """Fields of one test: endpoint, key, stages, and the difference between the two runs."""

    url = WebAddressField(label=_("Endpoint URL"), max_length=2000)
    key = HmacKeyField(
        label=_("HMAC key"),
        help_text=_(
            "We encrypt the key, use it for this test run only, and then delete "
            "it. Without a key, requests are "
            "unsigned."
        ),
    )
    stages = forms.MultipleChoiceField(
        label=_("Stages"),
        choices=[(stage, format_stage(stage)) for stage in STAGES],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Select at least one stage.")},
    )
    passing_workspace = WorkspaceField(PASSING.workspace, label=_("Workspace of the passing run"))
    failing_workspace = WorkspaceField(FAILING.workspace, label=_("Workspace of the failing run"))
    passing_plan = PlanField(label=_("Plan of the passing run"))
    failing_plan = PlanField(label=_("Plan of the failing run"))

    def clean_url(self) -> str:
        """Return the URL if outbound requests to it are allowed."""
        url = str(self.cleaned_data["url"])
        try:
            urls.parse_url(url, loopback=build_outbound_client().loopback)
        except RequestRefusedError as refusal:
            raise ValidationError(str(refusal)) from refusal
        return url
