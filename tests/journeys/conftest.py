"""Fixtures of the journeys: a live server, people in headless Chromium, background jobs, and the emails sent."""

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, sync_playwright

from portal.core.sessions import SessionStore
from portal.jobs import dispatcher
from portal.jobs.registry import QUEUES
from portal.notifications.models import EmailMessage
from tests.chromium import CHROMIUM, FLAGS
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson
from tests.journeys.walkthrough import Walkthrough

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright runs an event loop in the thread of the test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test of this folder as a journey, which needs a browser and committed rows."""
    for item in items:
        if "journeys" in item.path.parts:
            item.add_marker(pytest.mark.journey)
            item.add_marker(pytest.mark.django_db(transaction=True))
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def audit_log(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Share the list of audited pages between all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    Person.audited = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "audited"
    Person.audited.mkdir(exist_ok=True)


@pytest.fixture
def base_url(live_server: Any, settings: Any) -> str:
    settings.SITE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return str(live_server.url)


@pytest.fixture
def visit(chromium: Browser, base_url: str) -> Iterator[Callable[..., Person]]:
    """Open a browser: visit() for a visitor, visit(alice) signed in as Alice, visit(phone=True) on a phone."""
    contexts = []

    def open_browser(
        user: Any = None,
        *,
        phone: bool = False,
        javascript: bool = True,
        zone: str | None = None,
        kind: type[Person] = Person,
    ) -> Person:
        size = {"width": 375, "height": 812} if phone else {"width": 1280, "height": 900}
        context = chromium.new_context(
            viewport=size,  # type: ignore[arg-type]
            java_script_enabled=javascript,
            reduced_motion="reduce",
            timezone_id=zone,
        )
        contexts.append(context)
        if user is not None:
            context.add_cookies(
                [{"name": django_settings.SESSION_COOKIE_NAME, "value": create_session(user), "url": base_url}]
            )
        # the audit is a script, which never ends if scripts are off
        return kind(context.new_page(), base_url, str(user or "visitor"), audits=javascript)

    yield open_browser
    for context in contexts:
        context.close()


def create_session(user: Any) -> str:
    """Create the session that the sign-in page would create, and return its key."""
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)


@pytest.fixture
def run_jobs(settings: Any) -> Callable[[], None]:
    """Run the overdue background jobs, such as emails and checks, as run_jobs does without a broker."""
    settings.REDIS_URL = ""

    def run() -> None:
        for queue in QUEUES:
            dispatcher.run_overdue(queue)

    return run


@pytest.fixture
def advance_time(run_jobs: Callable[[], None]) -> Iterator[Callable[..., None]]:
    """Move the portal's clock: advance_time(minutes=31). Then the background jobs run."""
    clock = time_machine.travel(datetime.now(UTC), tick=True)
    traveler = clock.start()

    def advance(**delta: float) -> None:
        traveler.move_to(timezone.now() + timedelta(**delta))
        run_jobs()

    yield advance
    clock.stop()


@pytest.fixture
def walkthrough(
    visit: Callable[..., Person], alice: Any, rita: Any, run_jobs: Callable[[], None], github: Any, tmp_path: Any
) -> Iterator[Walkthrough]:
    """Walkthrough of a program by Alice and Rita in Chromium."""
    walkthrough = Walkthrough(visit(alice), visit(rita), run_jobs, tmp_path)
    yield walkthrough
    walkthrough.stop_clock()


@pytest.fixture
def scriptless_walkthrough(
    client: Client, alice: Any, rita: Any, run_jobs: Callable[[], None], github: Any, tmp_path: Any
) -> Iterator[Walkthrough]:
    """Walkthrough of a program by Alice and Rita in browsers without scripts."""
    walkthrough = Walkthrough(ScriptlessPerson(client, alice), ScriptlessPerson(Client(), rita), run_jobs, tmp_path)
    yield walkthrough
    walkthrough.stop_clock()


@pytest.fixture
def find_email() -> Callable[..., EmailMessage]:
    """Find the newest email to an address, of the named template if any."""

    def find(address: str, name: str = "") -> EmailMessage:
        emails = EmailMessage.objects.filter(to=address, **({"name": name} if name else {}))
        return emails.order_by("-pk")[0]

    return find


def find_link(email: EmailMessage, containing: str = "") -> str:
    """Return the first URL in the text of an email that contains this text."""
    links = [link for link in re.findall(r"https?://[^\s>]+", email.text) if containing in link]
    return str(links[0])
