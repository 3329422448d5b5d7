"""Sentences of a report: its subject, how the week went, and what the reader must do.

They are in the active language, and the same for the same figures.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from portal.core.value_types import JsonObject

PAST_MESSAGE = gettext_noop("No action needed. The newest report shows what is open now.")
NO_ACTION_MESSAGE = gettext_noop("No action needed.")


def format_change(current: float | None, previous: float | None) -> str:
    """Return "+2", "−0.5" or "±0"; blank where one of the values is missing."""
    if current is None or previous is None:
        return ""
    difference = round(current - previous, 1)
    return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{abs(difference):g}"


def build_subject(figures: JsonObject) -> str:
    """Return the week in one line: "SLA week 47: 96% on time (+2 pts), 0 breached, 2 at risk – Acme, Foo"."""
    names = list(dict.fromkeys(row["partner"] for row in figures["worst"]))
    if figures["scope"].startswith("partner:"):
        names = [figures["name"]]
    return _summarize_week(figures) + (f" – {', '.join(names)}" if names else "")


def _summarize_week(figures: JsonObject) -> str:
    """Say first what is overdue, so that a good share of the week never hides it."""
    totals = figures["totals"]
    change = format_change(totals["share"], figures["before"]["share"])
    values = {**totals, "week": int(figures["week"].split("W")[1]), "share": f"{totals['share'] or 0:g}"}
    if not totals["settled"]:
        return _summarize_week_without_targets(totals) % values
    if totals["overdue"]:
        template = ngettext(
            "SLA week %(week)s: %(overdue)s issue overdue, %(share)s%% on time",
            "SLA week %(week)s: %(overdue)s issues overdue, %(share)s%% on time",
            totals["overdue"],
        )
    elif change:
        template = _(
            "SLA week %(week)s: %(share)s%% on time (%(change)s pts), %(breached)s breached, %(at_risk)s at risk"
        )
    else:
        template = _("SLA week %(week)s: %(share)s%% on time, %(breached)s breached, %(at_risk)s at risk")
    return template % (values | {"change": change})


def _summarize_week_without_targets(totals: JsonObject) -> str:
    if totals["overdue"]:
        return _("SLA week %(week)s: %(overdue)s overdue, no targets due, %(at_risk)s at risk")
    if totals["data_incomplete"]:
        return ngettext(
            "SLA week %(week)s: data incomplete for %(data_incomplete)s issue",
            "SLA week %(week)s: data incomplete for %(data_incomplete)s issues",
            totals["data_incomplete"],
        )
    return _("SLA week %(week)s: no targets due, %(at_risk)s at risk")


def build_verdict(figures: JsonObject) -> str:
    """Return how the week went in one sentence, and in another what can't be evaluated."""
    totals = figures["totals"]
    if not figures["watched"]:
        return _("No integration was in support, so no SLA targets applied.")
    incomplete_template = ngettext(
        "Data is incomplete for %(data_incomplete)s issue, so we can't evaluate it.",
        "Data is incomplete for %(data_incomplete)s issues, so we can't evaluate them.",
        totals["data_incomplete"],
    )
    sentences = [_summarize_targets(totals), incomplete_template if totals["data_incomplete"] else ""]
    return " ".join(sentence % totals for sentence in sentences if sentence)


def _summarize_targets(totals: JsonObject) -> str:
    if not totals["settled"]:
        return _("No SLA targets were due this week.")
    if totals["breached"]:
        return _("%(met)s of %(settled)s SLA targets were met, and %(breached)s were breached.")
    return ngettext("The only SLA target was met.", "All %(settled)s SLA targets were met.", totals["settled"])


def describe_next_action(figures: JsonObject) -> str:
    """Return what the reader must do, or that no action is needed."""
    return describe_required_action(figures) or _(PAST_MESSAGE if figures["is_past"] else NO_ACTION_MESSAGE)


def describe_required_action(figures: JsonObject) -> str:
    """Return what the reader must do, or an empty string."""
    if figures["is_past"]:
        return ""
    totals = figures["totals"]
    if figures["scope"].startswith("partner:"):
        return _describe_partner_action(totals["overdue"], figures["coming_in_all"])
    return _describe_program_action(totals["overdue"], totals["data_incomplete"])


def _describe_program_action(overdue: int, data_incomplete: int) -> str:
    decide = ngettext(
        "Action required: Decide on %(count)s overdue issue.",
        "Action required: Decide on %(count)s overdue issues.",
        overdue,
    )
    complete = ngettext(
        "Action required: Find out why data is incomplete for %(count)s issue.",
        "Action required: Find out why data is incomplete for %(count)s issues.",
        data_incomplete,
    )
    sentences = ((decide, overdue), (complete, data_incomplete))
    return " ".join(sentence % {"count": count} for sentence, count in sentences if count)


def _describe_partner_action(overdue: int, coming: int) -> str:
    if overdue:
        message = ngettext(
            "Action required: %(count)s issue is overdue.", "Action required: %(count)s issues are overdue.", overdue
        )
    elif coming:
        message = ngettext(
            "Action required: %(count)s issue is due this week.",
            "Action required: %(count)s issues are due this week.",
            coming,
        )
    else:
        return ""
    return message % {"count": overdue or coming}
