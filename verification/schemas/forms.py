"""What does whoever generates a Crossplane provider decide? The choices of the preview, as a form."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.core.text_fields import Line, Lines
from verification.schemas.crossplane.option_validation import fitting
from verification.schemas.crossplane.options import FROM_PROVIDER, NAME, RUNTIMES, WORDS, BadChoice, Choices, choices
from verification.schemas.engine.types import ProviderSchema

LISTS = [("array", _("as an array")), ("object", _("as an object"))]  # the first is the usual
NAMES = [(FROM_PROVIDER, _("the provider gives it")), (NAME, _("the name is it"))]
NESTED = [("status", _("in the status")), ("parameter", _("a parameter, as in older generators"))]
NUMBERS = [("integer", _("an integer")), ("number", _("a number"))]
LONGEST = 800  # the choices travel in the address
TOLD = {"external_names": "external", "kinds": "kinds", "references": "references"}


class ChoicesForm(forms.Form):
    """None of this stands in a schema. What is left out is as usual."""

    group_prefix = Line(label=_("Group prefix"), required=False, max_length=100,
                             help_text=_("As in acme for acme.upbound.io, or a whole domain."))  # fmt: skip
    api_version = Line(label=_("API version"), required=False, max_length=40, help_text=_("As in v1alpha1."))
    external_name = forms.ChoiceField(label=_("Identifier"), choices=NAMES, required=False)
    external_names = Lines(label=_("Identifiers of single resources"), required=False, rows=2, max_length=LONGEST,
                           help_text=_("RESOURCE=RULE on each line, as in acme_key=NAME_AS_IDENTIFIER."))  # fmt: skip
    kinds = Lines(label=_("Groups and kinds"), required=False, rows=2, max_length=LONGEST,
                  help_text=_("RESOURCE=group/Kind on each line, as in acme_user_role=iam/Role."))  # fmt: skip
    references = Lines(label=_("References to other resources"), required=False, rows=2, max_length=LONGEST,
                       help_text=_("RESOURCE.argument on each line, as in acme_server.disk.network_id."))  # fmt: skip
    singletons = forms.ChoiceField(label=_("A list of at most one"), choices=LISTS, required=False)
    single_blocks = forms.ChoiceField(label=_("A block that exists once"), choices=LISTS, required=False)
    computed_nested = forms.ChoiceField(label=_("A computed attribute with attributes"), choices=NESTED, required=False)
    numbers = forms.ChoiceField(label=_("A number"), choices=NUMBERS, required=False)
    runtime = forms.ChoiceField(label=_("Runtime"), choices=[(one, one) for one in RUNTIMES], required=False,
                                help_text=_("The crossplane-runtime whose parts surround the fields."))  # fmt: skip

    def chosen(self, schema: ProviderSchema) -> Choices:
        """The choices; the usual ones, and a sentence beside each field, where one cannot be read or does not fit."""
        usual = choices(schema.prefix)
        if not self.is_valid():
            return usual
        given = {key: self.cleaned_data[key] for key in WORDS}
        more: dict[str, Any] = {key: value for key, value in given.items() if value}
        for name, key in TOLD.items():
            more[key] = tuple(line.strip() for line in self.cleaned_data[name].split("\n") if line.strip())
            self._refuse(name, schema, **{key: more[key]})
        prefix = self.cleaned_data["group_prefix"] or schema.prefix
        self._refuse("group_prefix", schema, prefix=prefix)
        more["api_version"] = self.cleaned_data["api_version"] or "v1alpha1"
        self._refuse("api_version", schema, api_version=more["api_version"])
        if self.errors:
            return usual
        general = (self.cleaned_data["external_name"] or FROM_PROVIDER,)
        return choices(prefix, **more | {"external": general + more["external"]})

    def _refuse(self, name: str, schema: ProviderSchema, prefix: str = "acme", **more: Any) -> None:
        """A sentence beside the field whose words cannot be read, or speak of what the schema does not have."""
        if name == "external_names" and (bare := next((one for one in more["external"] if "=" not in one), "")):
            self.add_error(name, _("“%(text)s” names no resource: write RESOURCE=RULE.") % {"text": bare[:100]})
            return
        try:
            fitting(schema, choices(prefix, **more))
        except BadChoice as sentence:
            self.add_error(name, str(sentence))
