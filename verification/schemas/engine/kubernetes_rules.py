"""Rules of Kubernetes for the names of a definition, which depend on those of the provider."""

import re
from collections.abc import Iterator

from portal.core.value_types import JsonObject

NAME_PATTERN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
KIND_PATTERN = re.compile(r"[A-Z][A-Za-z0-9]*")
# Plurals and singulars are DNS labels, which RFC 1035 limits.
MAX_NAME_CHARACTERS = 63


def find_name_violations(definition: JsonObject) -> Iterator[str]:
    """Yield the names of a definition that Kubernetes would reject."""
    spec = definition["spec"]
    names = spec["names"]
    if not NAME_PATTERN.fullmatch(spec["group"]) or "." not in spec["group"]:
        yield f"the group {spec['group']} is not a domain name"
    if not KIND_PATTERN.fullmatch(names["kind"]):
        yield f"the kind {names['kind']} is not valid"
    for key in ("plural", "singular"):
        if not NAME_PATTERN.fullmatch(names[key]) or len(names[key]) > MAX_NAME_CHARACTERS:
            yield f"the {key} {names[key]} is not a valid name of at most {MAX_NAME_CHARACTERS} characters"
