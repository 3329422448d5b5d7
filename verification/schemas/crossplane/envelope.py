"""What surrounds the fields of every managed resource? The same parts in each, for both scopes.

Each definition gets copies: whoever changes one changes no other.
"""

from copy import deepcopy
from typing import Any

Schema = dict[str, Any]
COLUMNS = [
    {"jsonPath": ".status.conditions[?(@.type=='Synced')].status", "name": "SYNCED", "type": "string"},
    {"jsonPath": ".status.conditions[?(@.type=='Ready')].status", "name": "READY", "type": "string"},
    {"jsonPath": ".metadata.annotations.crossplane\\.io/external-name", "name": "EXTERNAL-NAME", "type": "string"},
    {"jsonPath": ".metadata.creationTimestamp", "name": "AGE", "type": "date"},
]
POLICIES = ["Observe", "Create", "Update", "Delete", "LateInitialize", "*"]


def text(words: str) -> Schema:
    return {"description": words, "type": "string"}


def _object(words: str, properties: Schema, required: list[str]) -> Schema:
    return {"description": words, "properties": properties, "required": required, "type": "object"}


def _one_of(words: str, values: list[str], default: str | None = None) -> Schema:
    return {**({"default": default} if default else {}), "description": words, "enum": values, "type": "string"}


HEAD: Schema = {
    "apiVersion": text("Version of the schema that this object is written in."),
    "kind": text("Kind of this object."),
    "metadata": {"type": "object"},
}
REFERRING: Schema = {
    "description": "How the reference is resolved.",
    "properties": {
        "resolution": _one_of("Whether it must be found.", ["Required", "Optional"], "Required"),
        "resolve": _one_of("When it is looked for.", ["Always", "IfNotPresent"]),
    },
    "type": "object",
}
CONDITION: Schema = _object(
    "A condition of the resource.",
    {
        "lastTransitionTime": {
            "description": "When it last changed from one status to another.",
            "format": "date-time",
            "type": "string",
        },
        "message": text("What was told at the last change."),
        "observedGeneration": {
            "description": "The generation that the condition speaks of.",
            "format": "int64",
            "type": "integer",
        },
        "reason": text("Why it last changed."),
        "status": text("True, False or Unknown."),
        "type": text("Type of the condition; there is one of each."),
    },
    ["lastTransitionTime", "reason", "status", "type"],
)


def columns() -> list[Schema]:
    """What `kubectl get` shows of each object."""
    return deepcopy(COLUMNS)


def head() -> Schema:
    """The properties that every Kubernetes object has."""
    return deepcopy(HEAD)


def referring() -> Schema:
    """What may be said of each reference."""
    return deepcopy(REFERRING)


def _policies() -> Schema:
    return {
        "default": ["*"],
        "description": "What Crossplane may do with the external object.",
        "items": {"description": "One thing that it may do.", "enum": list(POLICIES), "type": "string"},
        "type": "array",
    }


def _provider_config(namespaced: bool) -> Schema:
    words = "Which configuration of the provider is used."
    name = {"name": text("Name of the configuration.")}
    if namespaced:
        kinds = {"kind": text("Kind of the configuration.")}
        default = {"kind": "ClusterProviderConfig", "name": "default"}
        return {"default": default, **_object(words, kinds | name, ["kind", "name"])}
    return {"default": {"name": "default"}, **_object(words, name | {"policy": referring()}, ["name"])}


def _connection_secret(namespaced: bool) -> Schema:
    properties = {"name": text("Name of the secret.")}
    if not namespaced:
        properties["namespace"] = text("Namespace of the secret.")
    return _object("The secret that connection details are written to.", properties, sorted(properties))


def _published() -> Schema:
    """Where the first runtime could write the connection details to beside the secret."""
    store = {"name": text("Name of the configuration of the store."), "policy": referring()}
    texts = {"additionalProperties": {"type": "string"}, "type": "object"}
    metadata = {
        "annotations": {"description": "Annotations of the secret.", **texts},
        "labels": {"description": "Labels of the secret.", **deepcopy(texts)},
        "type": text("Type of the secret."),
    }
    properties = {
        "configRef": {"default": {"name": "default"}, **_object("The store that is written to.", store, ["name"])},
        "metadata": {"description": "What is told of the secret.", "properties": metadata, "type": "object"},
        "name": text("Name of the secret."),
    }
    return _object("Where else the connection details are written to.", properties, ["name"])


def spec(kind: str, for_provider: Schema, init: Schema, runtime: str, *, namespaced: bool) -> Schema:
    """The specification: the fields, and what every managed resource of this scope and age can be told."""
    properties: Schema = {
        "forProvider": for_provider,
        "initProvider": {"description": "Values for the creation alone; later changes are left alone.", **init},
        "managementPolicies": _policies(),
        "providerConfigRef": _provider_config(namespaced),
        "writeConnectionSecretToRef": _connection_secret(namespaced),
    }
    if not namespaced:
        words = "What happens to the external object when this one is deleted."
        properties["deletionPolicy"] = _one_of(words, ["Orphan", "Delete"], "Delete")
    if runtime == "1":
        properties["publishConnectionDetailsTo"] = _published()
    return _object(f"{kind}Spec defines the desired state of {kind}", properties, ["forProvider"])


def status(kind: str, at_provider: Schema, runtime: str) -> Schema:
    """The status: what was observed, the conditions, the generation they speak of, and since runtime 2.3 which request
    to look again was followed."""
    conditions = {
        "description": "Conditions of the resource.",
        "items": deepcopy(CONDITION),
        "type": "array",
        "x-kubernetes-list-map-keys": ["type"],
        "x-kubernetes-list-type": "map",
    }
    generation = {"description": "The generation last acted upon.", "format": "int64", "type": "integer"}
    properties = {"atProvider": at_provider, "conditions": conditions, "observedGeneration": generation}
    if runtime not in ("1", "2.0"):
        properties["lastHandledReconcileAt"] = text("The last request to look again that was followed.")
    return {
        "description": f"{kind}Status defines the observed state of {kind}.",
        "properties": properties,
        "type": "object",
    }
