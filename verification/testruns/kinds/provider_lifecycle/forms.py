"""Form for a provider acceptance test. It never shows credentials again."""

from collections.abc import Sequence
from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy as _

from integrations.submissions.forms.credentials import SecretTextField
from portal.core.form_fields import CodeField, FormArguments
from verification.testruns.forms import VersionField, build_validator, build_write_only_area
from verification.testruns.kinds.provider_lifecycle.config import find_config_problem, parse_environment, parse_hosts


class ProviderLifecycleTestForm(forms.Form):
    """Fields of one test: version, configurations, credentials, and hosts."""

    version = VersionField(help_text=_("A version that the registry lists. For example, 1.4.0."))
    base = CodeField(
        rows=8,
        label=_("Configuration"),
        help_text=_("The content of main.tf with the resources to create. Don't enter credentials."),
        error_messages={"required": _("Enter the configuration.")},
    )
    changed = CodeField(
        rows=8,
        label=_("Changed configuration"),
        help_text=_("The same configuration with a change that your provider makes in place."),
        error_messages={"required": _("Enter the changed configuration.")},
    )
    failing_change = CodeField(
        required=False,
        label=_("Configuration with a failing change"),
        help_text=_(
            "The changed configuration with an in-place change that your service refuses during the apply. Leave blank "
            "to skip these rules."
        ),
    )
    refused = CodeField(
        required=False,
        label=_("Invalid configuration"),
        help_text=_("A configuration that the plan must reject. Leave blank to use an empty resource block."),
    )
    partial = CodeField(
        required=False,
        label=_("Partially failing configuration"),
        help_text=_("Its apply creates something and then fails. Leave blank to skip this rule."),
    )
    secret = SecretTextField(
        required=False,
        widget=build_write_only_area(rows=4),
        validators=[build_validator(parse_environment)],
        label=_("Test credentials"),
        max_length=8000,
        help_text=_(
            "Enter NAME=value, one per line. We encrypt the values, use them only in the sandbox, and delete them "
            "afterward."
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
        validators=[build_validator(parse_hosts)],
        help_text=_("Separate hosts with spaces. The sandbox blocks all other hosts."),
    )

    def __init__(self, accounts: Sequence[tuple[str, str]], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["account"].choices = [("", _("None")), *accounts]  # type: ignore[attr-defined]
        if not accounts:
            del self.fields["account"]

    def clean(self) -> dict[str, object]:
        data: dict[str, object] = super().clean() or {}
        data.setdefault("account", "")
        # The comparisons need every field, and a field without a valid value is missing here.
        if not self.errors:
            inputs = {name: str(value) for name, value in data.items()}
            if problem := find_config_problem(inputs, parse_environment(inputs["secret"])):
                self.add_error("base", problem)
            if inputs["base"] == inputs["changed"]:
                self.add_error("changed", _("Enter a configuration with a change. This one is identical."))
            if inputs["failing_change"] == inputs["changed"]:
                message = _("Enter a configuration with another change. This one equals the changed configuration.")
                self.add_error("failing_change", message)
        return data
