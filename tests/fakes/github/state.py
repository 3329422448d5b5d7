"""State of the proxy: what it adds to the emulator, and faults."""

import re
import threading
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.github.apps import Apps
from tests.fakes.github.tracker import Tracker
from tests.fakes.github.user_access import UserAccess

OWNER_TOKEN = "token-of-the-keeper"  # owns everything that is seeded


@dataclass
class Fault:
    """A fault on paths that match `path`: a status, "rate_limit", "stall", "cut", or "garbage".

    `times`: how often it occurs, None for always.
    """

    path: str
    kind: int | str
    times: int | None = None

    def applies_to(self, path: str) -> bool:
        if self.times == 0 or not re.search(self.path, path):
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class State:
    """What the proxy adds to the emulator, and the requests that it received."""

    upstream: int = 0
    hidden: bool = False  # no repository exists until a test seeds one
    licenses: dict[str, str | None] = field(default_factory=dict)
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)
    downloads: dict[tuple[str, str, str], bytes] = field(default_factory=dict)
    trackers: dict[str, Tracker] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    apps: Apps = field(default_factory=Apps)
    user_access: UserAccess = field(default_factory=UserAccess)
    faults: list[Fault] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)


def build_license(spdx: str) -> dict[str, Any]:
    """Return a license as GitHub names it; NOASSERTION stands for a text that it doesn't recognize."""
    if spdx == "NOASSERTION":
        return {"key": "other", "name": "Other", "spdx_id": spdx, "url": None, "node_id": "L"}
    return {"key": spdx.lower(), "name": spdx, "spdx_id": spdx, "url": None, "node_id": "L"}
