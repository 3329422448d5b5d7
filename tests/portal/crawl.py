"""What every page and button answers a role. Each role's pages are requested once per run, and several tests read them.

The pages are in the pseudo language, which changes no status, no header, and no text of the world.
"""

import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.test import Client

from tests.portal import pseudo
from tests.portal.addresses import address, names
from tests.portal.asking import Answer, client_of, request_answer
from tests.portal.button_requests import list_button_requests
from tests.portal.recorded import list_recorded_texts
from tests.template_database import lock_folder


@dataclass(slots=True)
class Crawl:
    """The answers to one role: to GET and POST by the name of the page, to buttons by their label."""

    shown: dict[str, Answer] = field(default_factory=dict)
    posted: dict[str, Answer] = field(default_factory=dict)
    pressed: dict[str, Answer] = field(default_factory=dict)
    messages: frozenset[str] = frozenset()  # that the pages asked a translation for
    recorded_texts: frozenset[str] = frozenset()  # in the rows of the world

    def list_answers(self) -> list[tuple[str, Answer]]:
        """Return (page or button, answer) of all requests."""
        return [*self.shown.items(), *self.posted.items(), *self.pressed.items()]


def crawl_pages(client: Client, world: dict[str, Any]) -> Crawl:
    """Request every page with GET and with an empty POST, and press every button. Nothing that they write stays."""
    crawl = Crawl(recorded_texts=frozenset(list_recorded_texts()))
    with pseudo.activate_pseudo_language() as messages:
        for name in sorted(names()):
            crawl.shown[name] = request_answer(client, address(name, world))
            crawl.posted[name] = request_answer(client, address(name, world), {})
        crawl.messages = frozenset(messages)
        for label, (url, fields) in list_button_requests(world).items():
            crawl.pressed[label] = request_answer(client, url, fields)
    return crawl


def read_or_crawl(folder: Path, role: str, world: dict[str, Any]) -> Crawl:
    """Return the crawl of a role from the folder that all processes of a run share. The first one makes it."""
    file = folder / f"crawl-{role}"
    with lock_folder(folder, f"{file.name}.lock"):
        if not file.exists():
            file.write_bytes(pickle.dumps(crawl_pages(client_of(world["cast"][role]), world)))
    crawl: Crawl = pickle.loads(file.read_bytes())
    return crawl
