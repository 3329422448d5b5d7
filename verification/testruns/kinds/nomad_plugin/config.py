"""Configuration for a Nomad plugin test. Pure functions."""

import json
from typing import NoReturn

import msgpack

from portal.core.translation import gettext_noop
from verification.testruns.kinds.provider_lifecycle.config import InvalidConfig

MAX_CONFIG_CHARACTERS = 100_000
PLUGIN_TYPE_LABELS = {"driver": gettext_noop("task driver"), "device": gettext_noop("device plugin")}


def parse_config(text: str) -> dict[str, object]:
    """Parse a configuration in JSON. Blank text is an empty configuration. Raises InvalidConfig."""
    if len(text) > MAX_CONFIG_CHARACTERS:
        raise InvalidConfig(f"Enter a configuration of {MAX_CONFIG_CHARACTERS} characters or fewer.")
    try:
        config = json.loads(text, parse_constant=_reject_constant) if text.strip() else {}
        msgpack.packb(config)  # what cannot be handed over is no configuration
    except json.JSONDecodeError as error:
        raise InvalidConfig(f"Enter valid JSON. Error in line {error.lineno}, column {error.colno}.") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise InvalidConfig("Remove the value that can't be encoded from the configuration.") from error
    if not isinstance(config, dict):
        raise InvalidConfig('Enter a JSON object. For example, {"address": "127.0.0.1:9999"}.')
    return config


def _reject_constant(word: str) -> NoReturn:
    raise ValueError(word)
