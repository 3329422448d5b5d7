"""What does the sandbox's process do when it is asked for a Nomad plugin? It asks it, and tells each answer."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from verification.testruns.kinds.nomad_plugin.driver import Given, Play
from verification.testruns.kinds.nomad_plugin.records import Asked, Seen

MOST = 200_000  # characters of one answer
TOO_MUCH = "too much"
TEXTS = ("type", "name", "version")
Tell = Callable[[dict[str, Any]], None]


def order(given: Given) -> dict[str, Any]:
    """What is sent to the sandbox's process for a rehearsal."""
    texts = {name: getattr(given, name) for name in TEXTS}
    return texts | {"config": dict(given.config), "readable": [str(path) for path in given.readable]}


def answer(plain: Mapping[str, Any], files: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """The whole of what was seen, as plain data; `tell` hears {"seen": …} after each question."""
    texts = {name: str(plain[name]) for name in TEXTS}
    readable = tuple(Path(path) for path in plain["readable"])
    given = Given(files["plugin"], config=dict(plain["config"]), readable=readable, **texts)
    return bounded(Play(given, lambda seen: tell({"seen": bounded(seen).as_dict()})).play()).as_dict()


def bounded(seen: Seen) -> Seen:
    """What was seen without answers that are longer than anybody needs: they count as none."""
    return replace(seen, asked=tuple(map(_bounded, seen.asked)))


def _bounded(asked: Asked) -> Asked:
    size = len(json.dumps(asked.data))
    if size <= MOST:
        return asked
    return replace(asked, came=TOO_MUCH, data={}, sentence=f"Its answer has {size} characters, more than {MOST}.")


def not_run(given: Given, why: str) -> Seen:
    """What is said where nothing can be asked."""
    return Seen(given.claims, unavailable=why, over=True)
