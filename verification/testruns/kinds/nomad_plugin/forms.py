"""Form for a Nomad plugin test."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from portal.core.text_fields import SingleLineField
from verification.terraform.versions import InvalidVersionError, parse_version
from verification.testruns.kinds.nomad_plugin.config import parse_config
from verification.testruns.kinds.provider_lifecycle.config import InvalidConfig
from verification.testruns.kinds.provider_lifecycle.forms import ConfigurationField


class NomadPluginTestForm(forms.Form):
    """Fields of one test: version, name and configuration."""

    version = SingleLineField(
        label=_("Version"), max_length=100, help_text=_("The version of a release on GitHub. For example, 1.4.0.")
    )
    name = SingleLineField(
        label=_("Name"),
        max_length=100,
        required=False,
        help_text=_("The name of the driver or device in a job. Leave empty to accept any name."),
    )
    config = ConfigurationField(
        rows=6,
        label=_("Configuration"),
        required=False,
        help_text=_("The JSON object that Nomad's agent passes. Don't enter credentials: the sandbox has no network."),
    )

    def clean_version(self) -> str:
        version = str(self.cleaned_data["version"]).removeprefix("v")
        try:
            parse_version(version)
        except InvalidVersionError as error:
            raise ValidationError(str(error)) from error
        return version

    def clean_config(self) -> str:
        text = str(self.cleaned_data["config"])
        try:
            parse_config(text)
        except InvalidConfig as error:
            raise ValidationError(str(error)) from error
        return text
