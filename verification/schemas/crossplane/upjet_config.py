"""Configuration of Upjet in Go, and the metadata of the provider's package."""

from collections.abc import Mapping

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.naming import GroupKind, quote_go
from verification.schemas.crossplane.options import DATA_FOLDER, GeneratorChoices

ENVIRONMENT = Environment(  # noqa: S701 - writes Go
    loader=FileSystemLoader(DATA_FOLDER),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
ENVIRONMENT.filters["quote"] = quote_go


def build_metadata(source: str, choices: GeneratorChoices) -> JsonObject:
    """Return the content of package/crossplane.yaml. Its authors add the maintainer, license, and readme."""
    description = f"Crossplane provider generated from the Terraform provider {source}."
    return {
        "apiVersion": "meta.pkg.crossplane.io/v1",
        "kind": "Provider",
        "metadata": {
            "name": f"provider-{choices.category}",
            "annotations": {"meta.crossplane.io/description": description},
        },
        # Crossplane 2 activates the definitions of a package with this capability one by one.
        "spec": {} if choices.runtime == "1" else {"capabilities": ["SafeStart"]},
    }


def render_configuration(kinds: Mapping[str, GroupKind], choices: GeneratorChoices) -> str:
    """Return the Go file for the resources, as gofmt formats it."""
    return ENVIRONMENT.get_template("upjet.go.jinja").render(kinds=kinds, choices=choices)
