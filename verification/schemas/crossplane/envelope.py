"""Parts that every managed resource shares, in both scopes.

Each definition gets its own copy, so changes to one do not affect the others.
"""

from copy import deepcopy

from portal.core.value_types import JsonObject

PRINTER_COLUMNS = [
    {"jsonPath": ".status.conditions[?(@.type=='Synced')].status", "name": "SYNCED", "type": "string"},
    {"jsonPath": ".status.conditions[?(@.type=='Ready')].status", "name": "READY", "type": "string"},
    {"jsonPath": ".metadata.annotations.crossplane\\.io/external-name", "name": "EXTERNAL-NAME", "type": "string"},
    {"jsonPath": ".metadata.creationTimestamp", "name": "AGE", "type": "date"},
]
MANAGEMENT_POLICIES = ["Observe", "Create", "Update", "Delete", "LateInitialize", "*"]


def build_text(description: str) -> JsonObject:
    return {"description": description, "type": "string"}


def _build_object(description: str, properties: JsonObject, required_names: list[str]) -> JsonObject:
    return {"description": description, "properties": properties, "required": required_names, "type": "object"}


def _build_enum(description: str, values: list[str], default: str | None = None) -> JsonObject:
    return {**({"default": default} if default else {}), "description": description, "enum": values, "type": "string"}


OBJECT_PROPERTIES: JsonObject = {
    "apiVersion": build_text("Version of the schema that this object is written in."),
    "kind": build_text("Kind of this object."),
    "metadata": {"type": "object"},
}
REFERENCE_POLICY: JsonObject = {
    "description": "How the reference is resolved.",
    "properties": {
        "resolution": _build_enum("Whether it must be found.", ["Required", "Optional"], "Required"),
        "resolve": _build_enum("When it is looked for.", ["Always", "IfNotPresent"]),
    },
    "type": "object",
}
CONDITION_SCHEMA: JsonObject = _build_object(
    "A condition of the resource.",
    {
        "lastTransitionTime": {
            "description": "When it last changed from one status to another.",
            "format": "date-time",
            "type": "string",
        },
        "message": build_text("What was told at the last change."),
        "observedGeneration": {
            "description": "The generation that the condition speaks of.",
            "format": "int64",
            "type": "integer",
        },
        "reason": build_text("Why it last changed."),
        "status": build_text("True, False or Unknown."),
        "type": build_text("Type of the condition; there is one of each."),
    },
    ["lastTransitionTime", "reason", "status", "type"],
)


def get_printer_columns() -> list[JsonObject]:
    """Return the columns of `kubectl get`."""
    return deepcopy(PRINTER_COLUMNS)


def get_object_properties() -> JsonObject:
    """Return the common properties of Kubernetes objects."""
    return deepcopy(OBJECT_PROPERTIES)


def get_reference_policy() -> JsonObject:
    """Return a copy of the schema of reference policies."""
    return deepcopy(REFERENCE_POLICY)


def _build_policies() -> JsonObject:
    return {
        "default": ["*"],
        "description": "What Crossplane may do with the external object.",
        "items": {"description": "One thing that it may do.", "enum": list(MANAGEMENT_POLICIES), "type": "string"},
        "type": "array",
    }


def _build_provider_config(is_namespaced: bool) -> JsonObject:
    description = "Which configuration of the provider is used."
    name = {"name": build_text("Name of the configuration.")}
    if is_namespaced:
        kinds = {"kind": build_text("Kind of the configuration.")}
        default = {"kind": "ClusterProviderConfig", "name": "default"}
        return {"default": default, **_build_object(description, kinds | name, ["kind", "name"])}
    return {
        "default": {"name": "default"},
        **_build_object(description, name | {"policy": get_reference_policy()}, ["name"]),
    }


def _build_connection_secret(is_namespaced: bool) -> JsonObject:
    properties = {"name": build_text("Name of the secret.")}
    if not is_namespaced:
        properties["namespace"] = build_text("Namespace of the secret.")
    return _build_object("The secret that connection details are written to.", properties, sorted(properties))


def _build_published_details() -> JsonObject:
    """Return the schema of an additional store for connection details (runtime 1)."""
    store = {"name": build_text("Name of the configuration of the store."), "policy": get_reference_policy()}
    texts = {"additionalProperties": {"type": "string"}, "type": "object"}
    metadata = {
        "annotations": {"description": "Annotations of the secret.", **texts},
        "labels": {"description": "Labels of the secret.", **deepcopy(texts)},
        "type": build_text("Type of the secret."),
    }
    properties = {
        "configRef": {
            "default": {"name": "default"},
            **_build_object("The store that is written to.", store, ["name"]),
        },
        "metadata": {"description": "What is told of the secret.", "properties": metadata, "type": "object"},
        "name": build_text("Name of the secret."),
    }
    return _build_object("Where else the connection details are written to.", properties, ["name"])


def build_spec(
    kind: str, for_provider: JsonObject, init: JsonObject, runtime: str, *, is_namespaced: bool
) -> JsonObject:
    """Build the schema of `spec`: the resource's fields and the common ones for this scope and runtime."""
    properties: JsonObject = {
        "forProvider": for_provider,
        "initProvider": {"description": "Values for the creation alone; later changes are left alone.", **init},
        "managementPolicies": _build_policies(),
        "providerConfigRef": _build_provider_config(is_namespaced),
        "writeConnectionSecretToRef": _build_connection_secret(is_namespaced),
    }
    if not is_namespaced:
        description = "What happens to the external object when this one is deleted."
        properties["deletionPolicy"] = _build_enum(description, ["Orphan", "Delete"], "Delete")
    if runtime == "1":
        properties["publishConnectionDetailsTo"] = _build_published_details()
    return _build_object(f"{kind}Spec defines the desired state of {kind}", properties, ["forProvider"])


def build_status(kind: str, at_provider: JsonObject, runtime: str) -> JsonObject:
    """The status: what was observed, the conditions, the generation they speak of, and since runtime 2.3 which request
    to look again was followed."""
    conditions = {
        "description": "Conditions of the resource.",
        "items": deepcopy(CONDITION_SCHEMA),
        "type": "array",
        "x-kubernetes-list-map-keys": ["type"],
        "x-kubernetes-list-type": "map",
    }
    generation = {"description": "The generation last acted upon.", "format": "int64", "type": "integer"}
    properties = {"atProvider": at_provider, "conditions": conditions, "observedGeneration": generation}
    if runtime not in ("1", "2.0"):
        properties["lastHandledReconcileAt"] = build_text("The last request to look again that was followed.")
    return {
        "description": f"{kind}Status defines the observed state of {kind}.",
        "properties": properties,
        "type": "object",
    }
