"""What is supplied for a rehearsal of a Nomad plugin, and is it fit? Pure."""

import json
from typing import Any, NoReturn

import msgpack

from portal.core.translation import gettext_noop
from verification.testruns.kinds.provider_lifecycle.config import Unfit

MOST = 100_000
WHAT = {"driver": gettext_noop("task driver"), "device": gettext_noop("device plugin")}


def config_of(text: str) -> dict[str, Any]:
    """The configuration that a text in JSON gives; blank is an empty one. Raises Unfit."""
    if len(text) > MOST:
        raise Unfit(f"A configuration has at most {MOST} characters.")
    try:
        found = json.loads(text, parse_constant=_refuse) if text.strip() else {}
        msgpack.packb(found)  # what cannot be handed over is no configuration
    except json.JSONDecodeError as error:
        raise Unfit(f"This is no JSON: line {error.lineno}, column {error.colno}.") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise Unfit("This is no configuration: a value in it cannot be handed over.") from error
    if not isinstance(found, dict):
        raise Unfit('A configuration is a JSON object, as in {"address": "127.0.0.1:9999"}.')
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)
