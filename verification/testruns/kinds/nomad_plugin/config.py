"""What is supplied for a rehearsal of a Nomad plugin, and is it fit? Pure."""

import json
from typing import Any, NoReturn

import msgpack

from portal.core.translation import gettext_noop
from verification.testruns.kinds.provider_lifecycle.config import InvalidConfig

MAX_CONFIG_CHARACTERS = 100_000
PLUGIN_TYPE_LABELS = {"driver": gettext_noop("task driver"), "device": gettext_noop("device plugin")}


def parse_config(text: str) -> dict[str, Any]:
    """The configuration that a text in JSON gives; blank is an empty one. Raises Unfit."""
    if len(text) > MAX_CONFIG_CHARACTERS:
        raise InvalidConfig(f"A configuration has at most {MAX_CONFIG_CHARACTERS} characters.")
    try:
        config = json.loads(text, parse_constant=_reject_constant) if text.strip() else {}
        msgpack.packb(config)  # what cannot be handed over is no configuration
    except json.JSONDecodeError as error:
        raise InvalidConfig(f"This is no JSON: line {error.lineno}, column {error.colno}.") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise InvalidConfig("This is no configuration: a value in it cannot be handed over.") from error
    if not isinstance(config, dict):
        raise InvalidConfig('A configuration is a JSON object, as in {"address": "127.0.0.1:9999"}.')
    return config


def _reject_constant(word: str) -> NoReturn:
    raise ValueError(word)
