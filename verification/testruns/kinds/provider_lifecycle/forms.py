"""What may people type to have a provider's lifecycle rehearsed, and is it fit? Credentials are not put back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from integrations.submissions.forms.credentials import SecretTextField, WriteOnlyTextarea
from portal.core.text_fields import SingleLineField, reject_invisible_characters
from verification.terraform.versions import InvalidVersionError, parse_version
from verification.testruns.kinds.provider_lifecycle.config import (
    InvalidConfig,
    ProviderLifecycleTarget,
    find_config_problem,
    parse_environment,
    parse_hosts,
)

MAX_CONFIGURATION_CHARACTERS = 100_000


class ConfigurationField(forms.CharField):
    """A configuration in HCL, kept as it was written."""

    def __init__(self, rows: int = 8, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "autocapitalize": "off", "class": "mono"})
        super().__init__(max_length=MAX_CONFIGURATION_CHARACTERS, strip=True, widget=widget, **kwargs)

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\t", "  ")  # the same to Terraform
        reject_invisible_characters(text)
        return f"{text}\n" if text else ""


class ProviderLifecycleTestForm(forms.Form):
    """One rehearsal: which version, with which configurations, credentials and hosts."""

    version = SingleLineField(
        label=_("Version"), max_length=100, help_text=_("One that the registry lists, as in 1.4.0.")
    )
    base = ConfigurationField(
        label=_("Configuration"), help_text=_("What main.tf holds: whatever is to be made. No credentials in it."),
        error_messages={"required": _("Write the configuration that is to be made.")},
    )  # fmt: skip
    changed = ConfigurationField(
        label=_("Changed configuration"), help_text=_("The same, with a change that your provider makes in place."),
        error_messages={"required": _("Write the configuration with the change.")},
    )  # fmt: skip
    refused = ConfigurationField(
        rows=4, required=False, label=_("Configuration that must be refused"),
        help_text=_("One that the plan must not let pass. Left out, we take a resource of which nothing is said."),
    )  # fmt: skip
    partial = ConfigurationField(
        rows=4, required=False, label=_("Configuration that fails halfway"),
        help_text=_("Its apply makes something and then fails. Left out, this rule is not run."),
    )  # fmt: skip
    secret = SecretTextField(
        label=_("Test credentials"), required=False, max_length=8000,
        widget=WriteOnlyTextarea(attrs={"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_("NAME=value, one a line. Encrypted at once, given to the sandbox alone, and then forgotten."),
    )  # fmt: skip
    account = forms.ChoiceField(
        label=_("Kept test account"), required=False, help_text=_("Its lines of the form NAME=value are used."),
        error_messages={"invalid_choice": _("This account was replaced or withdrawn meanwhile.")},
    )  # fmt: skip
    hosts = forms.CharField(
        label=_("Hosts that your provider reaches"), required=False, max_length=2000,
        help_text=_("As in api.acme.io, with spaces between. Everything else is closed to it."),
    )  # fmt: skip

    def __init__(self, accounts: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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

    def _parse_field(self, parser: Any, text: str) -> Any:
        try:
            return parser(text)
        except InvalidConfig as error:
            raise ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        data.setdefault("account", "")
        if not self.errors:
            problem, is_same = find_config_problem(_build_target(data)), data["base"] == data["changed"]
            if problem:
                self.add_error("base", problem)
            if is_same:
                self.add_error("changed", _("This is the same configuration, so it would show no change."))
        return data


def _build_target(data: dict[str, Any]) -> ProviderLifecycleTarget:
    texts = {name: data[name] for name in ("base", "changed", "refused", "partial")}
    return ProviderLifecycleTarget(Path(), Path(), "", "", environment=parse_environment(data["secret"]), **texts)
