"""Sentences of a report: its subject, how the week went, and what the reader must do.

They are in the active language, and the same for the same figures.
"""

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from portal.core.value_types import JsonObject


def format_change(current: float | None, previous: float | None) -> str:
    """Return "+2", "−0.5" or "±0"; blank where one of the values is missing."""
    if current is None or previous is None:
        return ""
    difference = round(current - previous, 1)
    return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{abs(difference):g}"


def build_subject(figures: JsonObject) -> str:
    """Return the week in one line: "SLA week 47: 96% on time (+2 pts), 0 breached, 2 at risk – Acme, Foo".

    Overdue issues come first, so that a good share of the week never hides them.
    """
    return _render_sentence(
        "subject",
        figures,
        number=int(figures["week"].split("W")[1]),
        change=format_change(figures["totals"]["share"], figures["before"]["share"]),
        names=[figures["name"]]
        if _is_of_partner(figures)
        else list(dict.fromkeys(row["partner"] for row in figures["worst"])),
    )


def build_verdict(figures: JsonObject) -> str:
    """Return how the week went in one sentence, and in another what can't be evaluated."""
    return _render_sentence("verdict", figures)


def describe_required_action(figures: JsonObject) -> str:
    """Return what the reader must do, or an empty string."""
    return _render_sentence("action", figures, is_of_partner=_is_of_partner(figures))


def describe_next_action(figures: JsonObject) -> str:
    """Return what the reader must do, or that no action is needed."""
    no_action = (
        _("No action needed. The newest report shows what is open now.")
        if figures["is_past"]
        else _("No action needed.")
    )
    return describe_required_action(figures) or no_action


def _is_of_partner(figures: JsonObject) -> bool:
    return figures["scope"].startswith("partner:")


def _render_sentence(name: str, figures: JsonObject, **values: object) -> str:
    return " ".join(render_to_string(f"reports/sentences/{name}.txt", {**figures, **values}).split())
