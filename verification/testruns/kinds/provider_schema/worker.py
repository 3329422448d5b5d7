"""What does the sandbox's process do when it is asked for a schema? It reads it both ways, and compares."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verification.testruns.kinds.provider_schema import reader
from verification.testruns.kinds.provider_schema.reader import Reading

Tell = Callable[[dict[str, Any]], None]
WAYS = ("direct", "terraform", "both")


def answer(given: Mapping[str, Any], files: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """`given`: source, version, via, and readable (paths); `files` holds the executable under "provider".

    Returns {"readings": [{via, read, key, problem, protocol, seconds, peak, said}], "schema": the document or None,
    "differences": [places] or None where there are not two to compare, "terraform": whether there is one}.
    Raises SandboxUnavailable, and ValueError with a sentence.
    """
    readable = [Path(path) for path in given.get("readable", ())]
    asked = reader.given_of(files["provider"], given.get("source", ""), given.get("version", ""), readable)
    found, terraform = [], reader.terraform_here()
    if given.get("via", "both") != "terraform":
        tell({"says": "The provider is asked for its schema"})
        found.append(reader.direct(asked))
    if terraform is not None and given.get("via", "both") != "direct":
        found.append(reader.through_terraform(asked, terraform, lambda says: tell({"says": says})))
    return {
        "readings": [one.as_dict() for one in found],
        "schema": next((one.document for one in found if one.document is not None), None),
        "differences": _differences(found),
        "terraform": terraform is not None,
    }


def _differences(found: list[Reading]) -> list[str] | None:
    documents = [one.document for one in found if one.document is not None]
    return reader.differences(documents[0], documents[1]) if len(documents) == 2 else None
