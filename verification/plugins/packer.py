"""Description that a Packer plugin prints for `describe`: its versions and components. No Django here.

Packer reads it before it installs or starts a plugin, and refuses one that it can't read.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from portal.core.value_types import JsonObject
from verification.sandbox.environment import open_environment
from verification.sandbox.types import MEGABYTE, ExitReason, Limits, SandboxUnavailable

LIMITS = Limits(seconds=30, memory=1024 * MEGABYTE, disk=16 * MEGABYTE, processes=100, output=1 * MEGABYTE)
EXECUTABLE = "packer-plugin-example"
# The version of the protocol between Packer and its plugins. The SDK has a version of its own.
API_MAJOR = 5
API_MINOR = 0
API_VERSION_PATTERN = re.compile(r"x(\d{1,4})\.(\d{1,4})")
# The fields that Packer's plugin SDK writes for `describe`.
TEXT_KEYS = ("version", "api_version", "sdk_version", "protocol_version")
REQUIRED_KEYS = TEXT_KEYS[:2]
COMPONENT_KEYS = ("builders", "provisioners", "post_processors", "datasources")


def parse_description(output: bytes) -> JsonObject:
    """Return the description on the standard output of `describe`. Raises ValueError with a message for users.

    The SDK names a component like the plugin "-packer-default-plugin-name-".
    """
    description = _parse_object(output)
    texts = {key: _get_text(description, key) for key in TEXT_KEYS}
    _validate_api_version(texts["api_version"])
    components = {key: _get_names(description, key) for key in COMPONENT_KEYS}
    if not any(components.values()):
        raise ValueError("The plugin has no builder, provisioner, post-processor, or data source.")
    return texts | components


def _parse_object(output: bytes) -> JsonObject:
    text = output.decode("utf-8", "replace").strip()
    try:
        description = json.loads(text)
    except (ValueError, RecursionError):
        description = None
    if isinstance(description, dict):
        return description
    if not text:
        raise ValueError("The plugin prints no description.")
    line = text.splitlines()[0][:80]
    if "{" in text[1:] and text[0] != "{":
        raise ValueError(f"The plugin prints other text before its description: “{line}”.")
    raise ValueError(f"The description isn't a JSON object: “{line}”.")


def _get_text(description: JsonObject, key: str) -> str:
    value = description.get(key) or ""
    if not value and key in REQUIRED_KEYS:
        raise ValueError(f"The description has no {key}.")
    if not isinstance(value, str):
        raise ValueError(f"{key} isn't a string.")
    return value


def _get_names(description: JsonObject, key: str) -> list[str]:
    """Return the names of components. Packer treats null and a missing list as an empty one."""
    names = description.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"{key} isn't a list of names.")
    return names


def _validate_api_version(text: str) -> None:
    match = API_VERSION_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"“{text[:20]}” isn't an API version, such as x{API_MAJOR}.{API_MINOR}.")
    # Packer supports older minor versions of the same major version.
    if int(match[1]) != API_MAJOR or int(match[2]) > API_MINOR:
        raise ValueError(f"The plugin has API version {text}. Packer supports x{API_MAJOR}.{API_MINOR}.")


def run_job(arguments: JsonObject, executable: Path, report_progress: Callable[..., None]) -> JsonObject:
    """Describe the plugin in the sandbox's process: {"problem": text, "description": object or None}.

    Args:
        arguments: `readable`: paths that the plugin can read.

    Raises:
        SandboxUnavailable: There is no sandbox, or it failed.
    """
    readable: Sequence[Path] = [Path(path) for path in arguments.get("readable", ())]
    with open_environment(LIMITS, files={EXECUTABLE: executable}, readable=readable) as environment:
        result = environment.run([environment.locate(EXECUTABLE), "describe"])
    # The sandbox failed, which must not count against the plugin.
    if result.reason == ExitReason.LOST:
        raise SandboxUnavailable(result.message)
    if not result.is_success:
        return {"problem": result.message, "description": None}
    try:
        return {"problem": "", "description": parse_description(result.stdout)}
    except ValueError as error:
        return {"problem": str(error), "description": None}
