"""Broker of Celery during a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from tests.servers.valkey import Valkey


@pytest.fixture
def broker(settings: Any, tmp_path: Path) -> Iterator[Valkey]:
    """Start a broker for this test alone, which the portal and Celery use."""
    server = Valkey(tmp_path)
    settings.REDIS_URL = server.url
    with use_broker(server.url):
        yield server
    server.stop()


@contextmanager
def use_broker(url: str, **options: object) -> Iterator[None]:
    """Change the broker, with further Celery options, and change it back afterward.

    Celery keeps its pool of producers when the configuration changes and would publish to the previous broker.
    """
    settings = {"broker_url": url, **options}
    previous_settings = {name: current_app.conf[name] for name in settings}
    try:
        _configure(settings)
        yield
    finally:
        _configure(previous_settings)


def _configure(settings: dict[str, object]) -> None:
    current_app.conf.update(settings)
    current_app._after_fork()  # type: ignore[attr-defined] # drops the pools; Celery has no public function for this
