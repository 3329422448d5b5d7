"""Forms for schemas: upload, comparison, the generator options of a Crossplane preview, and its reconciliation."""

import json
from collections.abc import Sequence
from typing import Any, Unpack

import yaml
from django import forms
from django.core.exceptions import ValidationError
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrPromise

from portal.core.form_fields import MAX_CODE_CHARACTERS, CodeField, FormArguments, MultiLineField, SingleLineField
from portal.core.json_text import clean_json
from portal.core.uploads import LimitedFileField
from portal.core.value_types import JsonObject, NamedValues
from verification.schemas.crossplane import options
from verification.schemas.crossplane.managed_resource import ManagedResource, ManagedResourceCodec
from verification.schemas.crossplane.manifests import build_state_schema, find_manifest_problems
from verification.schemas.engine import yaml_text
from verification.schemas.engine.kubernetes_rules import MAX_PROBLEMS, ObjectProblem, ProblemKind, list_problems
from verification.schemas.engine.types import ParsedSchema
from verification.terraform.versions import InvalidVersionError, Version, parse_version

# The first is the default.
LIST_CHOICES = [("array", _("Array")), ("object", _("Object"))]
IDENTIFIER_CHOICES = [
    (options.IDENTIFIER_FROM_PROVIDER, _("Assigned by the provider")),
    (options.NAME_AS_IDENTIFIER, _("Name of the resource")),
]
NESTED_CHOICES = [("status", _("Status")), ("parameter", _("Parameter (older generators)"))]
NUMBER_CHOICES = [("integer", _("Integer")), ("number", _("Number"))]
# The options are part of the URL.
MAX_CHARACTERS = 800
# The comparison of sets takes quadratic time.
MAX_ELEMENTS = 1_000
PROBLEM_MESSAGES: dict[ProblemKind, StrPromise] = {
    "unknown": _("Unknown field %(path)s. Remove it, or check its spelling."),
    "missing": _("Add the required field %(path)s."),
    "type": _("The field %(path)s must have the type %(expected)s."),
    "value": _("The field %(path)s must have one of these values: %(expected)s."),
}
CHOICE_BY_FIELD = {"external_names": "external", "kinds": "kinds", "references": "references"}


def build_lines_field(label: StrPromise, help_text: StrPromise) -> MultiLineField:
    return MultiLineField(label=label, required=False, rows=2, max_length=MAX_CHARACTERS, help_text=help_text)


class GeneratorChoicesForm(forms.Form):
    """Generator options, which a schema doesn't define. Empty fields have default values."""

    group_prefix = SingleLineField(
        label=_("Group prefix"),
        required=False,
        max_length=100,
        help_text=_("For example, acme for acme.upbound.io, or a full domain."),
    )
    api_version = SingleLineField(
        label=_("API version"), required=False, max_length=40, help_text=_("For example, v1alpha1.")
    )
    external_name = forms.ChoiceField(label=_("Identifier"), choices=IDENTIFIER_CHOICES, required=False)
    external_names = build_lines_field(
        _("Identifiers of specific resources"),
        _("Enter one RESOURCE=RULE per line. For example, acme_key=NAME_AS_IDENTIFIER."),
    )
    kinds = build_lines_field(
        _("Groups and kinds"), _("Enter one RESOURCE=group/Kind per line. For example, acme_user_role=iam/Role.")
    )
    references = build_lines_field(
        _("References to other resources"),
        _("Enter one RESOURCE.argument per line. For example, acme_server.disk.network_id."),
    )
    singletons = forms.ChoiceField(label=_("Lists with at most one item"), choices=LIST_CHOICES, required=False)
    single_blocks = forms.ChoiceField(label=_("Single blocks"), choices=LIST_CHOICES, required=False)
    computed_nested = forms.ChoiceField(label=_("Computed nested attributes"), choices=NESTED_CHOICES, required=False)
    numbers = forms.ChoiceField(label=_("Numbers"), choices=NUMBER_CHOICES, required=False)
    runtime = forms.ChoiceField(
        label=_("Runtime"),
        choices=[(one, one) for one in options.CHOICE_OPTIONS["runtime"].values],
        required=False,
        help_text=_("Version of crossplane-runtime."),
    )

    def get_choices(self, schema: ParsedSchema) -> options.GeneratorChoices:
        """Return the options, or add field errors and return the defaults."""
        defaults = options.parse_choices(schema.prefix)
        if not self.is_valid():
            return defaults
        arguments: NamedValues = {key: value for key in options.CHOICE_OPTIONS if (value := self.cleaned_data[key])}
        for name, key in CHOICE_BY_FIELD.items():
            arguments[key] = tuple(line.strip() for line in self.cleaned_data[name].split("\n") if line.strip())
            # One field at a time, so that each error appears at its field.
            self._refuse(name, schema, **{key: arguments[key]})
        prefix = self.cleaned_data["group_prefix"] or schema.prefix
        self._refuse("group_prefix", schema, prefix=prefix)
        arguments["api_version"] = self.cleaned_data["api_version"] or "v1alpha1"
        self._refuse("api_version", schema, api_version=arguments["api_version"])
        # The page then shows the preview with default options beside the errors.
        if self.errors:
            return defaults
        general = (self.cleaned_data["external_name"] or options.IDENTIFIER_FROM_PROVIDER,)
        return options.parse_choices(prefix, **arguments | {"external": general + arguments["external"]})

    def _refuse(self, name: str, schema: ParsedSchema, prefix: str = "acme", **arguments: Any) -> None:
        """Add an error to a field with invalid syntax or unknown names."""
        if name == "external_names" and (
            # Without a resource, the rule would apply to all resources, which has a field of its own.
            bare_rule := next((one for one in arguments["external"] if "=" not in one), "")
        ):
            self.add_error(name, _("Enter “%(text)s” in the format RESOURCE=RULE.") % {"text": bare_rule[:100]})
            return
        try:
            options.validate_choices(schema, options.parse_choices(prefix, **arguments))
        except options.InvalidChoiceError as error:
            self.add_error(name, str(error))


def reject_many_elements(value: object) -> None:
    """Raise a ValidationError if the lists of a JSON value have too many elements altogether."""
    if _count_elements(value) > MAX_ELEMENTS:
        limit = number_format(MAX_ELEMENTS, use_l10n=True, force_grouping=True)
        raise ValidationError(_("Enter at most %(limit)s list elements.") % {"limit": limit})


def _count_elements(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_count_elements, value.values()))
    return len(value) + sum(map(_count_elements, value)) if isinstance(value, list) else 0


def _format_state(state: JsonObject) -> str:
    """Return a state as JSON, without indentation if it would exceed the limit of the field."""
    text = json.dumps(state, ensure_ascii=False, indent=2)
    if len(text) <= MAX_CODE_CHARACTERS:
        return text
    return json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def raise_problems(problems: Sequence[ObjectProblem]) -> None:
    """Raise a ValidationError with one message for each of the first problems, if there are any."""
    error_messages = [
        PROBLEM_MESSAGES[one.kind] % {"path": one.path[:200], "expected": one.expected}
        for one in problems[:MAX_PROBLEMS]
    ]
    if error_messages:
        raise ValidationError(error_messages)


class ReconciliationForm(forms.Form):
    """Manifest of a managed resource, and the state that the provider reports."""

    manifest = CodeField(
        rows=14,
        label=_("Manifest"),
        help_text=_("Enter one object as YAML."),
        error_messages={"required": _("Enter a manifest.")},
    )
    state = CodeField(
        rows=8,
        required=False,
        label=_("Observed state"),
        help_text=_(
            "Enter the Terraform value as JSON. Leave blank if the object doesn't exist yet. Only the presence of "
            "sensitive values is compared."
        ),
    )

    def __init__(
        self, codec: ManagedResourceCodec, definitions: Sequence[JsonObject], **kwargs: Unpack[FormArguments]
    ) -> None:
        super().__init__(**kwargs)
        self.codec = codec
        self.definitions = definitions

    def clean_manifest(self) -> ManagedResource:
        try:
            manifest = yaml_text.parse(self.cleaned_data["manifest"])
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            message = _("Enter valid YAML. Check line %(line)s: %(problem)s.")
            raise ValidationError(message, params={"line": line, "problem": error.problem}) from error
        except (yaml.YAMLError, TypeError, ValueError) as error:
            raise ValidationError(
                _("Enter YAML with at most 50 levels and without aliases, special types, or very long numbers.")
            ) from error
        if not isinstance(manifest, dict):
            raise ValidationError(_("Enter an object with the fields apiVersion, kind, metadata, and spec."))
        reject_many_elements(manifest)
        raise_problems(find_manifest_problems(self.codec, self.definitions, manifest))
        return self.codec.read_manifest(manifest)

    def clean_state(self) -> JsonObject | None:
        """Return the Terraform value, or None if there is none. The page shows it without its secrets.

        An invalid value stays as entered, so that it can be corrected.
        """
        if not self.cleaned_data["state"]:
            return None
        try:
            # The limit of manifests, because both are walked recursively.
            state = clean_json(json.loads(self.cleaned_data["state"]), max_depth=yaml_text.MAX_DEPTH)
        except json.JSONDecodeError as error:
            message = _("Enter valid JSON. Check line %(line)s, column %(column)s.")
            raise ValidationError(message, params={"line": error.lineno, "column": error.colno}) from error
        except (ValueError, RecursionError) as error:
            raise ValidationError(
                _("Enter JSON with at most 50 levels and without NaN, Infinity, or very long numbers.")
            ) from error
        if not isinstance(state, dict):
            raise ValidationError(_("Enter a JSON object with the arguments of the resource."))
        reject_many_elements(state)
        raise_problems(list_problems(build_state_schema(self.codec.resource.nodes), state))
        # The form is shown again with the result, and must not send the secrets back.
        self.data = dict(self.data.items()) | {"state": _format_state(self.codec.hide_secrets(state))}
        return state


class SchemaUploadForm(forms.Form):
    """Form for uploading the schema of one version."""

    version = forms.CharField(label=_("Provider version"), max_length=100, help_text=_("For example, 1.4.0."))
    file = LimitedFileField(
        label=_("Schema"), help_text=_("Output of “terraform providers schema -json”, plain or as .gz.")
    )

    def clean_version(self) -> Version:
        try:
            return parse_version(str(self.cleaned_data["version"]).strip())
        except InvalidVersionError as error:
            raise forms.ValidationError(str(error)) from error


class SchemaComparisonForm(forms.Form):
    """Form for selecting two stored versions, with the URL parameters `from` and `version`."""

    def __init__(self, *, old: str, new: str, versions: list[str]) -> None:
        super().__init__(initial={"from": old, "version": new})
        version_choices = [(version, version) for version in versions]
        self.fields["from"] = forms.ChoiceField(label=_("From"), choices=version_choices)
        self.fields["version"] = forms.ChoiceField(label=_("To"), choices=version_choices)
