"""Broker of Celery during a test."""

from collections.abc import Iterator
from contextlib import contextmanager

from celery import current_app


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
    current_app._after_fork()  # drops the pools; Celery has no public function for this
