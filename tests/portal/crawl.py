"""Responses of every page and button to a role. Several tests read them; each role is crawled once per run.

The pages are in the pseudo-language, which changes no status, no header, and no text of the test data.
"""

import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.test import Client

from tests.portal import pseudo_language
from tests.portal.button_requests import list_button_requests
from tests.portal.database_texts import list_database_texts
from tests.portal.page_urls import build_url, list_page_names
from tests.portal.rollback_requests import RecordedResponse, create_client, record_response
from tests.template_database import lock_folder


@dataclass(slots=True)
class Crawl:
    """Responses to one role: to GET and POST by page name, to buttons by label."""

    get_responses: dict[str, RecordedResponse] = field(default_factory=dict)
    post_responses: dict[str, RecordedResponse] = field(default_factory=dict)
    button_responses: dict[str, RecordedResponse] = field(default_factory=dict)
    messages: frozenset[str] = frozenset()  # that the pages translate
    recorded_texts: frozenset[str] = frozenset()  # in the database

    def list_responses(self) -> list[tuple[str, RecordedResponse]]:
        """Return (page or button, response) of all requests."""
        return [*self.get_responses.items(), *self.post_responses.items(), *self.button_responses.items()]


def crawl_pages(client: Client, world: dict[str, Any]) -> Crawl:
    """Request every page with GET and an empty POST, and press every button. All changes are rolled back."""
    crawl = Crawl(recorded_texts=frozenset(list_database_texts()))
    with pseudo_language.activate_pseudo_language() as messages:
        for name in sorted(list_page_names()):
            crawl.get_responses[name] = record_response(client, build_url(name, world))
            crawl.post_responses[name] = record_response(client, build_url(name, world), {})
        crawl.messages = frozenset(messages)
        for label, (url, fields) in list_button_requests(world).items():
            crawl.button_responses[label] = record_response(client, url, fields)
    return crawl


def read_or_crawl(folder: Path, role: str, world: dict[str, Any]) -> Crawl:
    """Return the crawl of a role from the folder that all processes of a run share. The first process creates it."""
    file = folder / f"crawl-{role}"
    with lock_folder(folder, f"{file.name}.lock"):
        if not file.exists():
            file.write_bytes(pickle.dumps(crawl_pages(create_client(world["users"][role]), world)))
    crawl: Crawl = pickle.loads(file.read_bytes())
    return crawl
