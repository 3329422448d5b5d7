"""How is a state said where a row is in it? Choices of columns, in the reader's language."""

from typing import Any

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as _

STATE_LABELS = {
    "engage": _("Engage"),
    "develop": _("Develop"),
    "review": _("Review"),
    "release": _("Release"),
    "support": _("Support"),
    "withdrawn": _("Withdrawn"),
    "declined": _("Declined"),
    "archived": _("Archived"),
    "unlisted": _("Unlisted"),
    "listed": _("Verified"),
    "on_notice": _("Notice"),
    "suspended": _("Suspended"),
    "delisted": _("Removed"),
    "partner": _("Partner"),
    "program": _("Program"),
    "machine": _("Machine"),
}


def build_choices(names: Any) -> list[tuple[str, Any]]:
    """States with their words, in the reader's language where one of WORDS."""
    return [
        (str(name), gettext_lazy(STATE_LABELS.get(str(name), str(name).replace("_", " ").capitalize())))
        for name in names
    ]
