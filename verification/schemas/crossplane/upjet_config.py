"""Configuration of Upjet in Go, and the metadata of the provider's package."""

from collections.abc import Iterator, Mapping

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.naming import GroupKind, quote_go
from verification.schemas.crossplane.options import GeneratorChoices

HEAD = """\
// Package config is the configuration that Upjet generates this provider from.
package config

import "github.com/crossplane/upjet/v2/pkg/config"

// terraformPluginSDKExternalNameConfigs has the external name of each generated resource.
var terraformPluginSDKExternalNameConfigs = map[string]config.ExternalName{"""
CONFIGURE = """\
}

// Configure sets the group, kind, references, and sensitive arguments of each resource.
func Configure(p *config.Provider) {"""


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
    lines = [HEAD]
    for name, group_kind in kinds.items():
        lines += [f"\t// {group_kind}", f"\t{quote_go(name)}: config.{choices.get_external_name(name).render_go()},"]
    lines.append(CONFIGURE)
    for name, group_kind in kinds.items():
        lines.append(f"\tp.AddResourceConfigurator({quote_go(name)}, func(r *config.Resource) {{")
        lines += [f"\t\t{line}" for line in _list_settings(name, group_kind, choices)]
        lines.append("\t})")
    return "\n".join([*lines, "}", ""])


def _list_settings(name: str, group_kind: GroupKind, choices: GeneratorChoices) -> Iterator[str]:
    yield f"r.ShortGroup = {quote_go(group_kind.group)}"
    yield f"r.Kind = {quote_go(group_kind.kind)}"
    yield f"r.Version = {quote_go(choices.api_version)}"
    for path in choices.references.get(name, ()):
        target = choices.reference_targets.get(f"{name}.{path}")
        # A definition has the fields of a reference whatever it refers to. Upjet needs the resource.
        if target is None:
            yield f"// The resource that {path} references isn't known."
        else:
            yield f'r.References["{path}"] = config.Reference{{TerraformName: "{target}"}}'
    yield from (f'r.TerraformResource.Schema["{path}"].Sensitive = true' for path in choices.sensitive.get(name, ()))
