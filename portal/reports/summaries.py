"""Summary sentences of a report: email subject, result of the week, and required action."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.sla.formatting import format_percent

COUNTED_SINCE_FORMAT = 4  # since this format, reports count all overdue and upcoming issues
PAST_MESSAGE = gettext_noop("No action needed. See the latest report for open issues.")
NO_ACTION_MESSAGE = gettext_noop("No action needed.")


def format_change(current: float | None, previous: float | None) -> str:
    """Return the difference, such as "+2", "−0.5", or "±0", or an empty string if a value is missing."""
    if current is None or previous is None:
        return ""
    difference = round(current - previous, 1)
    return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{abs(difference):g}"


def build_subject(figures: Mapping[str, Any]) -> str:
    """Return the subject: "SLA week 47: 96% on time (+2 pts), 3 breached, 2 at risk – Acme, Foo"."""
    names = list(dict.fromkeys(row["partner"] for row in figures["worst"]))
    if figures["scope"].startswith("partner:"):
        names = [figures["name"]]
    return _summarize_week(figures) + (f" – {', '.join(names)}" if names else "")


def _summarize_week(figures: Mapping[str, Any]) -> str:
    totals = figures["totals"]
    values = {**totals, "week": int(figures["week"].split("W")[1])}
    if not totals["settled"]:
        if totals["overdue"]:
            return _("SLA week %(week)s: %(overdue)s overdue, no targets due, %(at_risk)s at risk") % values
        return _("SLA week %(week)s: no targets due, %(at_risk)s at risk") % values
    change_text = format_change(totals["share"], figures["before"]["share"])
    values |= {"share": format_percent(totals["share"]), "change": change_text}
    if change_text:
        template = _("SLA week %(week)s: %(share)s on time (%(change)s pts), %(broken)s breached, %(at_risk)s at risk")
    else:
        template = _("SLA week %(week)s: %(share)s on time, %(broken)s breached, %(at_risk)s at risk")
    return template % values


def build_verdict(figures: Mapping[str, Any]) -> str:
    """Return the result of the week, with the number of issues whose data is incomplete."""
    totals = figures["totals"]
    if not figures["watched"]:
        return _("No integration was in support.")
    blind_template = _("Data incomplete: %(data_incomplete)s.") if totals["data_incomplete"] else ""
    return " ".join(sentence % totals for sentence in (_summarize_targets(totals), blind_template) if sentence)


def _summarize_targets(totals: Mapping[str, Any]) -> str:
    if not totals["settled"]:
        return _("No SLA targets were due this week.")
    if totals["broken"]:
        return _("%(kept)s of %(settled)s SLA targets were met. %(broken)s breached.")
    return ngettext("The only SLA target was met.", "All %(settled)s SLA targets were met.", totals["settled"])


def describe_next_action(figures: Mapping[str, Any]) -> str:
    """Return the required action as a sentence, or why no action is needed."""
    action = describe_required_action(figures)
    return _("Action required: %(what)s") % {"what": action} if action else explain_no_action(figures)


def explain_no_action(figures: Mapping[str, Any]) -> str:
    """Return why no action is needed."""
    return _(PAST_MESSAGE) if figures["format"] >= COUNTED_SINCE_FORMAT and figures["is_past"] else _(NO_ACTION_MESSAGE)


def describe_required_action(figures: Mapping[str, Any]) -> str:
    """Return the required action, or an empty string. Older formats count only the listed issues."""
    is_counted = figures["format"] >= COUNTED_SINCE_FORMAT
    if is_counted and figures["is_past"]:
        return ""
    totals = figures["totals"]
    if figures["scope"].startswith("partner:"):
        return _describe_partner_action(
            totals["overdue"], figures["coming_in_all"] if is_counted else len(figures["coming"])
        )
    if is_counted:
        return _describe_program_action(totals["overdue"], totals["data_incomplete"])
    return _describe_program_action(len(figures["worst"]), 0)


def _describe_program_action(late: int, data_incomplete: int) -> str:
    values = {
        "late": ngettext("%(count)s overdue issue", "%(count)s overdue issues", late) % {"count": late},
        "data_incomplete": ngettext("%(count)s issue", "%(count)s issues", data_incomplete)
        % {"count": data_incomplete},
    }
    if late and data_incomplete:
        return _("decide on %(late)s and find out why data for %(data_incomplete)s is incomplete.") % values
    if late:
        return _("decide on %(late)s.") % values
    return _("find out why data for %(data_incomplete)s is incomplete.") % values if data_incomplete else ""


def _describe_partner_action(overdue: int, coming: int) -> str:
    if overdue:
        message = ngettext("respond to %(count)s overdue issue.", "respond to %(count)s overdue issues.", overdue)
    elif coming:
        message = ngettext(
            "respond to %(count)s issue that is due this week.",
            "respond to %(count)s issues that are due this week.",
            coming,
        )
    else:
        return ""
    return message % {"count": overdue or coming}
