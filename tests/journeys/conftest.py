"""The stage of the journeys: the portal on loopback, headless Chromium, mails read from the outbox."""

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, sync_playwright

from portal.jobs import dispatcher
from portal.notifications.models import EmailMessage
from tests.chromium import CHROMIUM, FLAGS
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson
from tests.journeys.walk import Walk

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs beside the test's own queries


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder is a journey, and needs a browser."""
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
    """One list of what was audited for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    Person.audited = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "audited"
    Person.audited.mkdir(exist_ok=True)


@pytest.fixture
def base(live_server: Any, settings: Any) -> str:
    settings.SITE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return str(live_server.url)


@pytest.fixture
def visit(chromium: Browser, base: str) -> Iterator[Callable[..., Person]]:
    """A browser of its own for somebody: visit() a stranger, visit(alice) already signed in, visit(phone=True)."""
    contexts = []

    def enter(
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
            context.add_cookies([{"name": django_settings.SESSION_COOKIE_NAME, "value": session_of(user), "url": base}])
        # The audit is a script: it never ends where scripts are off.
        return kind(context.new_page(), base, str(user or "visitor"), audits=javascript)

    yield enter
    for context in contexts:
        context.close()


def session_of(user: Any) -> str:
    """A session as the sign-in page would make it."""
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)


@pytest.fixture
def background() -> Callable[..., dict[str, int]]:
    """What the background does, done now: mails leave, checks run. Takes the moment it is done at."""
    return lambda now=None: dispatcher.run_all(now or timezone.now())


@pytest.fixture
def later(background: Callable[..., dict[str, int]]) -> Iterator[Callable[..., None]]:
    """Time passes: later(minutes=31) moves the portal's clock, and the background does what became due."""
    clock = time_machine.travel(datetime.now(UTC), tick=True)
    traveller = clock.start()

    def passes(**delta: float) -> None:
        traveller.move_to(timezone.now() + timedelta(**delta))
        background()

    yield passes
    clock.stop()


@pytest.fixture
def walk(
    visit: Callable[..., Person], alice: Any, rita: Any, background: Callable[..., Any], github: Any, tmp_path: Any
) -> Iterator[Walk]:
    """Alice and Rita, each at a browser, and an integration that they take through its program."""
    walking = Walk(visit(alice), visit(rita), background, tmp_path)
    yield walking
    walking.end()


@pytest.fixture
def scriptless_walk(
    client: Client, alice: Any, rita: Any, background: Callable[..., Any], github: Any, tmp_path: Any
) -> Iterator[Walk]:
    """The same two people, whose browsers run no scripts."""
    walking = Walk(ScriptlessPerson(client, alice), ScriptlessPerson(Client(), rita), background, tmp_path)
    yield walking
    walking.end()


@pytest.fixture
def mail_to() -> Callable[..., EmailMessage]:
    """The newest mail to an address, of a template where one is named."""

    def newest(address: str, name: str = "") -> EmailMessage:
        emails = EmailMessage.objects.filter(to=address, **({"name": name} if name else {}))
        return emails.order_by("-pk")[0]

    return newest


def link_in(mail: EmailMessage, containing: str = "") -> str:
    """The first address in a mail's text that contains these words."""
    links = [link for link in re.findall(r"https?://[^\s>]+", mail.text) if containing in link]
    return str(links[0])
