"""Form for the generator options of a Crossplane preview."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.core.text_fields import MultiLineField, SingleLineField
from verification.schemas.crossplane.option_validation import validate_choices
from verification.schemas.crossplane.options import (
    CHOICE_VALUES,
    IDENTIFIER_FROM_PROVIDER,
    NAME_AS_IDENTIFIER,
    RUNTIMES,
    GeneratorChoices,
    InvalidChoiceError,
    parse_choices,
)
from verification.schemas.engine.types import ParsedSchema

LIST_CHOICES = [("array", _("as an array")), ("object", _("as an object"))]  # the first is the usual
IDENTIFIER_CHOICES = [(IDENTIFIER_FROM_PROVIDER, _("the provider gives it")), (NAME_AS_IDENTIFIER, _("the name is it"))]
NESTED_CHOICES = [("status", _("in the status")), ("parameter", _("a parameter, as in older generators"))]
NUMBER_CHOICES = [("integer", _("an integer")), ("number", _("a number"))]
MAX_CHARACTERS = 800  # the choices travel in the address
CHOICE_BY_FIELD = {"external_names": "external", "kinds": "kinds", "references": "references"}


class GeneratorChoicesForm(forms.Form):
    """None of this stands in a schema. What is left out is as usual."""

    group_prefix = SingleLineField(label=_("Group prefix"), required=False, max_length=100,
                             help_text=_("As in acme for acme.upbound.io, or a whole domain."))  # fmt: skip
    api_version = SingleLineField(label=_("API version"), required=False, max_length=40, help_text=_("As in v1alpha1."))
    external_name = forms.ChoiceField(label=_("Identifier"), choices=IDENTIFIER_CHOICES, required=False)
    external_names = MultiLineField(
        label=_("Identifiers of single resources"),
        required=False,
        rows=2,
        max_length=MAX_CHARACTERS,
        help_text=_("RESOURCE=RULE on each line, as in acme_key=NAME_AS_IDENTIFIER."),
    )
    kinds = MultiLineField(label=_("Groups and kinds"), required=False, rows=2, max_length=MAX_CHARACTERS,
                  help_text=_("RESOURCE=group/Kind on each line, as in acme_user_role=iam/Role."))  # fmt: skip
    references = MultiLineField(
        label=_("References to other resources"),
        required=False,
        rows=2,
        max_length=MAX_CHARACTERS,
        help_text=_("RESOURCE.argument on each line, as in acme_server.disk.network_id."),
    )
    singletons = forms.ChoiceField(label=_("A list of at most one"), choices=LIST_CHOICES, required=False)
    single_blocks = forms.ChoiceField(label=_("A block that exists once"), choices=LIST_CHOICES, required=False)
    computed_nested = forms.ChoiceField(
        label=_("A computed attribute with attributes"), choices=NESTED_CHOICES, required=False
    )
    numbers = forms.ChoiceField(label=_("A number"), choices=NUMBER_CHOICES, required=False)
    runtime = forms.ChoiceField(label=_("Runtime"), choices=[(one, one) for one in RUNTIMES], required=False,
                                help_text=_("The crossplane-runtime whose parts surround the fields."))  # fmt: skip

    def get_choices(self, schema: ParsedSchema) -> GeneratorChoices:
        """The choices; the usual ones, and a sentence beside each field, where one cannot be read or does not fit."""
        defaults = parse_choices(schema.prefix)
        if not self.is_valid():
            return defaults
        values = {key: self.cleaned_data[key] for key in CHOICE_VALUES}
        arguments: dict[str, Any] = {key: value for key, value in values.items() if value}
        for name, key in CHOICE_BY_FIELD.items():
            arguments[key] = tuple(line.strip() for line in self.cleaned_data[name].split("\n") if line.strip())
            self._refuse(name, schema, **{key: arguments[key]})
        prefix = self.cleaned_data["group_prefix"] or schema.prefix
        self._refuse("group_prefix", schema, prefix=prefix)
        arguments["api_version"] = self.cleaned_data["api_version"] or "v1alpha1"
        self._refuse("api_version", schema, api_version=arguments["api_version"])
        if self.errors:
            return defaults
        general = (self.cleaned_data["external_name"] or IDENTIFIER_FROM_PROVIDER,)
        return parse_choices(prefix, **arguments | {"external": general + arguments["external"]})

    def _refuse(self, name: str, schema: ParsedSchema, prefix: str = "acme", **arguments: Any) -> None:
        """A sentence beside the field whose words cannot be read, or speak of what the schema does not have."""
        if name == "external_names" and (
            bare_rule := next((one for one in arguments["external"] if "=" not in one), "")
        ):
            self.add_error(name, _("“%(text)s” names no resource: write RESOURCE=RULE.") % {"text": bare_rule[:100]})
            return
        try:
            validate_choices(schema, parse_choices(prefix, **arguments))
        except InvalidChoiceError as error:
            self.add_error(name, str(error))
