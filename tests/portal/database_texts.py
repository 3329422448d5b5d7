"""Texts in the rows of the database."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from django.apps import apps

APPS = ("portal.", "integrations.", "verification.")


def list_database_texts() -> Iterator[str]:
    """Return every text in the database: written by users, or recorded about them."""
    for model in apps.get_models():
        if model._meta.managed and model.__module__.startswith(APPS):
            for row in model.objects.values():  # type: ignore[attr-defined]
                yield from find_texts(row)


def find_texts(thing: object) -> Iterator[str]:
    """Yield every text in dataclasses or JSON."""
    if isinstance(thing, str):
        yield thing
    elif is_dataclass(thing):
        for each in fields(thing):
            yield from find_texts(getattr(thing, each.name))
    elif isinstance(thing, dict):
        yield from find_texts([*thing, *thing.values()])
    elif isinstance(thing, list | tuple | set | frozenset):
        for each in thing:
            yield from find_texts(each)
