"""Form for a run task test. It never shows the key again."""

import json
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from integrations.submissions.forms.credentials import SecretTextField
from portal.core.form_fields import CodeField, SingleLineField, WebAddressField, reject_invisible_characters
from verification.sources import build_outbound_client
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls
from verification.testruns.forms import build_write_only_area
from verification.testruns.kinds.run_task.protocol import SCENARIOS, STAGES, format_stage

MAX_PLAN_CHARACTERS = 500_000


def validate_plan(text: str) -> None:
    try:
        is_object = isinstance(json.loads(text), dict)
    # The parser raises RecursionError for deeply nested arrays.
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise ValidationError(_("Enter a JSON object. Paste the whole output of “terraform show -json”."))


def _build_workspace_field(scenario: str, label: StrOrPromise) -> SingleLineField:
    help_text = format_lazy(_("“{usual}” if left out."), usual=SCENARIOS[scenario].workspace)
    return SingleLineField(required=False, max_length=90, help_text=help_text, label=label)


def _build_plan_field(label: StrOrPromise) -> CodeField:
    return CodeField(
        required=False,
        max_length=MAX_PLAN_CHARACTERS,
        validators=[validate_plan],
        help_text=_("Optional plan in JSON, as “terraform show -json” prints it. Default: our sample plan."),
        label=label,
    )


class RunTaskTestForm(forms.Form):
    """Fields of one test: endpoint, key, stages, and the difference between the two runs."""

    url = WebAddressField(label=_("Endpoint URL"), max_length=2000)
    key = SecretTextField(
        required=False,
        widget=build_write_only_area(),
        label=_("HMAC key"),
        max_length=500,
        validators=[reject_invisible_characters],
        help_text=_(
            "We encrypt the key, use it for this test run only, and then delete it. Without a key, requests are "
            "unsigned."
        ),
    )
    stages = forms.MultipleChoiceField(
        label=_("Stages"),
        choices=[(stage, format_stage(stage)) for stage in STAGES],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Select at least one stage.")},
    )
    passing_workspace = _build_workspace_field("passing", _("Workspace of the passing run"))
    failing_workspace = _build_workspace_field("failing", _("Workspace of the failing run"))
    passing_plan = _build_plan_field(_("Plan of the passing run"))
    failing_plan = _build_plan_field(_("Plan of the failing run"))

    def clean_url(self) -> str:
        """Return the URL if outbound requests to it are allowed."""
        # The rules for outbound requests apply again when the test runs: an address can change between the two.
        url = str(self.cleaned_data["url"])
        try:
            urls.parse_url(url, loopback=build_outbound_client().loopback)
        except RequestRefusedError as refusal:
            raise ValidationError(str(refusal)) from refusal
        portal_host = urlsplit(settings.SITE_URL).hostname or ""
        # Otherwise, the results that can't arrive would count as the endpoint's failure.
        if urls.is_this_machine(portal_host) and not urls.is_this_machine(urlsplit(url).hostname or ""):
            message = _("The endpoint can't send results to this portal, because its own address is %(host)s.")
            raise ValidationError(message % {"host": portal_host})
        return url
