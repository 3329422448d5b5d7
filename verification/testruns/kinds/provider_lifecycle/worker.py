"""What does the sandbox's process do when it is asked for a lifecycle? It plays it in a room, and tells each step."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from verification.sandbox.egress_proxy import EgressRules
from verification.sandbox.environment import open_environment
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.provider_lifecycle.config import Given, why_unfit
from verification.testruns.kinds.provider_lifecycle.driver import Play, beginning
from verification.testruns.kinds.provider_lifecycle.records import Seen
from verification.testruns.kinds.provider_lifecycle.workspace import LIMITS, files_of, found_terraform, unsandboxed

NO_TERRAFORM = "Not run: no terraform on this worker."
TEXTS = ("source", "version", "base", "changed", "refused", "partial")
Tell = Callable[[dict[str, Any]], None]


def order(given: Given, readable: tuple[Path, ...] = (), *, loopback: bool = False) -> dict[str, Any]:
    """What is sent to the sandbox's process for a rehearsal; it holds the credentials, so it is kept nowhere."""
    plain: dict[str, Any] = {name: getattr(given, name) for name in TEXTS}
    plain |= {"hosts": list(given.hosts), "environment": dict(given.environment), "loopback": loopback}
    return plain | {"readable": [str(path) for path in readable]}


def given_of(plain: Mapping[str, Any], executable: Path, terraform: Path) -> Given:
    """What order() gave, with the programs that there are."""
    texts = {name: str(plain[name]) for name in TEXTS}
    return Given(
        executable, terraform, hosts=tuple(plain["hosts"]), environment=dict(plain["environment"]), **texts
    )  # fmt: skip


def answer(plain: Mapping[str, Any], files: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """The whole of what was seen, as plain data, secrets struck out; `tell` hears {"ran": …} of each step."""
    readable = tuple(Path(path) for path in plain["readable"])
    terraform = found_terraform()
    given = given_of(plain, files["provider"], terraform or Path())
    if terraform is None:
        return not_run(given, NO_TERRAFORM).as_dict()
    return sandboxed(given, lambda seen: tell({"ran": asdict(seen.ran[-1])}), readable, plain["loopback"]).as_dict()


def sandboxed(
    given: Given, tell: Callable[[Seen], None], readable: tuple[Path, ...] = (), loopback: bool = False
) -> Seen:
    """Play it in a room. What cannot be had is said, never passed. Raises ValueError with a sentence."""
    _refuse(given)
    try:
        egress = EgressRules(given.hosts, allow_loopback=loopback) if given.hosts else None
        with open_environment(
            LIMITS, files=files_of(given), readable=readable, egress=egress, is_strict=False
        ) as place:
            return Play(given, place, tell=tell).play()
    except SandboxUnavailable as why:
        return not_run(given, f"Not run: {str(why)[:1].lower()}{str(why)[1:]}")


def alone(given: Given, tell: Callable[[Seen], None], only: Collection[str] = ()) -> Seen:
    """Play it on this machine without a sandbox, for whoever tries a provider of their own. Raises ValueError."""
    _refuse(given)
    with unsandboxed(given) as (place, work):
        return Play(given, place, work, tell).play(only)


def _refuse(given: Given) -> None:
    why = why_unfit(given)
    if why:
        raise ValueError(why)


def not_run(given: Given, why: str) -> Seen:
    """What is said where nothing can be played."""
    return replace(beginning(given), unavailable=why, over=True)
