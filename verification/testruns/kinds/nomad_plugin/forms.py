"""What may people type to have a Nomad plugin rehearsed, and is it fit?"""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from portal.core.text_fields import Line
from verification.terraform.versions import BadVersion, parse
from verification.testruns.kinds.nomad_plugin.config import config_of
from verification.testruns.kinds.provider_lifecycle.config import Unfit
from verification.testruns.kinds.provider_lifecycle.forms import Configuration


class RehearseNomad(forms.Form):
    """One rehearsal: which version, under which name, with which configuration."""

    version = Line(label=_("Version"), max_length=100, help_text=_("That of a release on GitHub, as in 1.4.0."))
    name = Line(
        label=_("Name"), max_length=100, required=False,
        help_text=_("As a job names the driver or device. Left out, any name will do."),
    )  # fmt: skip
    config = Configuration(
        rows=6, label=_("Configuration"), required=False,
        help_text=_("What Nomad's agent would hand over, as a JSON object. No credentials: there is no network."),
    )  # fmt: skip

    def clean_version(self) -> str:
        version = str(self.cleaned_data["version"]).removeprefix("v")
        try:
            parse(version)
        except BadVersion as sentence:
            raise ValidationError(str(sentence)) from sentence
        return version

    def clean_config(self) -> str:
        text = str(self.cleaned_data["config"])
        try:
            config_of(text)
        except Unfit as sentence:
            raise ValidationError(str(sentence)) from sentence
        return text
