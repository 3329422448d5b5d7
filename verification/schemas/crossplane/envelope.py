"""Parts of resource definitions that don't depend on the provider's schema, in both scopes."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from portal.core.content_files import read_yaml
from portal.core.value_types import JsonObject

_PARTS: JsonObject = read_yaml(Path(__file__).parent.parent / "data" / "envelope.yaml")  # type: ignore[assignment]


def copy_part(name: str) -> Any:
    """Return a copy of a part of the data file, so that changes to a definition do not affect others."""
    return deepcopy(_PARTS[name])


def build_version(name: str, columns: str, schema: JsonObject, *, has_status: bool = True) -> JsonObject:
    """Build the only version of a definition. `columns`: the part with its printer columns."""
    return {
        "additionalPrinterColumns": copy_part(columns),
        "name": name,
        "schema": {"openAPIV3Schema": schema},
        "served": True,
        "storage": True,
        "subresources": {"status": {}} if has_status else {},
    }


def build_shell(
    kind: str, plural: str, group: str, categories: list[str], version: JsonObject, *, is_namespaced: bool
) -> JsonObject:
    """Build a CustomResourceDefinition with one version."""
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": names | ({"categories": categories} if categories else {}),
            "scope": "Namespaced" if is_namespaced else "Cluster",
            "versions": [version],
        },
    }


def build_spec(
    kind: str, for_provider: JsonObject, init: JsonObject, runtime: str, *, is_namespaced: bool
) -> JsonObject:
    """Build the schema of `spec`: the resource's fields and the common ones for this scope and runtime."""
    return {
        "description": f"{kind}Spec defines the desired state of {kind}",
        "properties": {
            "forProvider": for_provider,
            "initProvider": {"description": "Values that apply only at creation. Later changes are ignored.", **init},
            **copy_part("spec"),
            **copy_part("namespaced_spec" if is_namespaced else "cluster_spec"),
            **(copy_part("runtime_1_spec") if runtime == "1" else {}),
        },
        # Required arguments are rules instead: see crd.is_required.
        "required": ["forProvider"],
        "type": "object",
    }


def build_status(kind: str, at_provider: JsonObject, runtime: str) -> JsonObject:
    """Build the schema of `status`: the observed fields and the common ones of this runtime."""
    # Version 2.3 of crossplane-runtime added fields to the status.
    newer_properties = {} if runtime in ("1", "2.0") else copy_part("runtime_2_3_status")
    return {
        "description": f"{kind}Status defines the observed state of {kind}.",
        "properties": {"atProvider": at_provider, **copy_part("status"), **newer_properties},
        "type": "object",
    }
