"""Form for a provider acceptance test. It never shows credentials again."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar, Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from integrations.submissions.forms.credentials import SecretTextField, WriteOnlyTextarea
from portal.core.django_arguments import FieldArguments, FormArguments
from portal.core.text_fields import SingleLineField, reject_invisible_characters
from portal.core.value_types import JsonObject
from verification.terraform.versions import InvalidVersionError, parse_version
from verification.testruns.kinds.provider_lifecycle.config import (
    InvalidConfig,
    ProviderLifecycleTarget,
    find_config_problem,
    parse_environment,
    parse_hosts,
)

MAX_CONFIGURATION_CHARACTERS = 100_000

T = TypeVar("T")


class ConfigurationField(forms.CharField):
    """Configuration in HCL, kept as entered."""

    def __init__(
        self,
        rows: int = 8,
        error_messages: Mapping[str, StrOrPromise] | None = None,
        **kwargs: Unpack[FieldArguments],
    ) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "autocapitalize": "off", "class": "mono"})
        super().__init__(
            max_length=MAX_CONFIGURATION_CHARACTERS, widget=widget, error_messages=error_messages, **kwargs
        )

    def to_python(self, value: object) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\t", "  ")  # the same to Terraform
        reject_invisible_characters(text)
        return f"{text}\n" if text else ""


class ProviderLifecycleTestForm(forms.Form):
    """Fields of one test: version, configurations, credentials and hosts."""

    version = SingleLineField(
        label=_("Version"), max_length=100, help_text=_("A version that the registry lists. For example, 1.4.0.")
    )
    base = ConfigurationField(
        label=_("Configuration"),
        help_text=_("The content of main.tf with the resources to create. Don't enter credentials."),
        error_messages={"required": _("Enter the configuration.")},
    )
    changed = ConfigurationField(
        label=_("Changed configuration"),
        help_text=_("The same configuration with a change that your provider makes in place."),
        error_messages={"required": _("Enter the changed configuration.")},
    )
    refused = ConfigurationField(
        rows=4,
        required=False,
        label=_("Invalid configuration"),
        help_text=_("A configuration that the plan must reject. Leave empty to use an empty resource block."),
    )
    partial = ConfigurationField(
        rows=4,
        required=False,
        label=_("Partially failing configuration"),
        help_text=_("Its apply creates something and then fails. Leave empty to skip this rule."),
    )
    secret = SecretTextField(
        label=_("Test credentials"),
        required=False,
        max_length=8000,
        widget=WriteOnlyTextarea(attrs={"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "Enter NAME=value, one per line. We encrypt the values, use them only "
            "in the sandbox, and delete them "
            "afterwards."
        ),
    )
    account = forms.ChoiceField(
        label=_("Saved test account"),
        required=False,
        help_text=_("We use its lines of the form NAME=value."),
        error_messages={"invalid_choice": _("This test account was replaced or withdrawn. Select another one.")},
    )
    hosts = forms.CharField(
        label=_("Allowed hosts"),
        required=False,
        max_length=2000,
        help_text=_("Separate hosts with spaces. The sandbox blocks all other hosts."),
    )

    def __init__(self, accounts: Sequence[tuple[str, str]], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["account"].choices = [("", _("None")), *accounts]  # type: ignore[attr-defined]
        if not accounts:
            del self.fields["account"]

    def clean_version(self) -> str:
        version = str(self.cleaned_data["version"]).removeprefix("v")
        try:
            parse_version(version)
        except InvalidVersionError as error:
            raise ValidationError(str(error)) from error
        return version

    def clean_secret(self) -> str:
        text = str(self.cleaned_data["secret"])
        self._parse_field(parse_environment, text)
        return text

    def clean_hosts(self) -> tuple[str, ...]:
        hosts: tuple[str, ...] = self._parse_field(parse_hosts, str(self.cleaned_data["hosts"]))
        return hosts

    def _parse_field(self, parser: Callable[[str], T], text: str) -> T:
        try:
            return parser(text)
        except InvalidConfig as error:
            raise ValidationError(str(error)) from error

    def clean(self) -> dict[str, object]:
        data: dict[str, object] = super().clean() or {}
        data.setdefault("account", "")
        if not self.errors:
            problem, is_same = find_config_problem(_build_target(data)), data["base"] == data["changed"]
            if problem:
                self.add_error("base", problem)
            if is_same:
                self.add_error("changed", _("Enter a configuration with a change. This one is identical."))
        return data


def _build_target(data: JsonObject) -> ProviderLifecycleTarget:
    texts = {name: data[name] for name in ("base", "changed", "refused", "partial")}
    return ProviderLifecycleTarget(Path(), Path(), "", "", environment=parse_environment(data["secret"]), **texts)
