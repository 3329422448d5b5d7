"""Types of the keyword arguments that our models pass on to Django."""

from collections.abc import Iterable
from typing import TypedDict

from django.db import models


class SaveArguments(TypedDict, total=False):
    """Keyword arguments of Model.save()."""

    force_insert: bool | tuple[models.base.ModelBase, ...]
    force_update: bool
    using: str | None
    update_fields: Iterable[str] | None
