"""Answers of every page and button to a role. Several tests read them; each role is crawled once per run.

The pages are in the pseudo-language, which changes no status, no header, and no text of the test data.
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
    """Answers to one role: to GET and POST by page name, to buttons by label."""

    shown: dict[str, Answer] = field(default_factory=dict)
    posted: dict[str, Answer] = field(default_factory=dict)
    pressed: dict[str, Answer] = field(default_factory=dict)
    messages: frozenset[str] = frozenset()  # that the pages translate
    recorded_texts: frozenset[str] = frozenset()  # in the database

    def list_answers(self) -> list[tuple[str, Answer]]:
        """Return (page or button, answer) of all requests."""
        return [*self.shown.items(), *self.posted.items(), *self.pressed.items()]


def crawl_pages(client: Client, world: dict[str, Any]) -> Crawl:
    """Request every page with GET and an empty POST, and press every button. All changes are rolled back."""
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
    """Return the crawl of a role from the folder that all processes of a run share. The first process creates it."""
    file = folder / f"crawl-{role}"
    with lock_folder(folder, f"{file.name}.lock"):
        if not file.exists():
            file.write_bytes(pickle.dumps(crawl_pages(client_of(world["cast"][role]), world)))
    crawl: Crawl = pickle.loads(file.read_bytes())
    return crawl
