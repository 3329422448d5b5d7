"""Translatable labels of states for model choices."""

from collections.abc import Iterable

from django.utils.translation import gettext_lazy, gettext_noop as _

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
    "listed": _("Listed"),
    "on_notice": _("On notice"),
    "suspended": _("Suspended"),
    "delisted": _("Delisted"),
    "partner": _("Partner"),
    "program": _("Program"),
    "machine": _("Portal"),
}


def build_choices(names: Iterable[str]) -> list[tuple[str, object]]:
    """Return model choices with translatable labels."""
    return [
        (str(name), gettext_lazy(STATE_LABELS.get(str(name), str(name).replace("_", " ").capitalize())))
        for name in names
    ]
