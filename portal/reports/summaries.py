"""What does a report say in sentences: its subject, how the week was, what the reader has to do? Pure.

In the language that is spoken; of the same figures the same.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.sla.formatting import format_percent

COUNTED_SINCE_FORMAT = 4  # since this format what is late and what will be is counted, not only listed
PAST_MESSAGE = gettext_noop("Nothing waits for you here: the newest report says what waits now.")
NO_ACTION_MESSAGE = gettext_noop("You have nothing to do.")


def format_change(current: float | None, previous: float | None) -> str:
    """ "+2", "−0.5", "±0", or nothing where one of them is missing."""
    if current is None or previous is None:
        return ""
    difference = round(current - previous, 1)
    return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{abs(difference):g}"


def build_subject(figures: Mapping[str, Any]) -> str:
    """The answer in one line: "SLA week 47: 96 % in time (+2), 3 broken, 2 at risk – Acme, Foo"."""
    names = list(dict.fromkeys(row["partner"] for row in figures["worst"]))
    if figures["scope"].startswith("partner:"):
        names = [figures["name"]]
    return _summarize_week(figures) + (f" – {', '.join(names)}" if names else "")


def _summarize_week(figures: Mapping[str, Any]) -> str:
    totals = figures["totals"]
    values = {**totals, "week": int(figures["week"].split("W")[1])}
    if not totals["settled"]:
        if totals["overdue"]:
            return _("SLA week %(week)s: nothing was due, %(overdue)s overdue, %(at_risk)s at risk") % values
        return _("SLA week %(week)s: nothing was due, %(at_risk)s at risk") % values
    change_text = format_change(totals["share"], figures["before"]["share"])
    values |= {"share": format_percent(totals["share"]), "moved": change_text}
    if change_text:
        template = _("SLA week %(week)s: %(share)s in time (%(moved)s), %(broken)s broken, %(at_risk)s at risk")
    else:
        template = _("SLA week %(week)s: %(share)s in time, %(broken)s broken, %(at_risk)s at risk")
    return template % values


def build_verdict(figures: Mapping[str, Any]) -> str:
    """How the week was, in one sentence; in another, what cannot be judged."""
    totals = figures["totals"]
    if not figures["watched"]:
        return _("No integration was in support, so nothing was promised.")
    blind_template = (
        _("%(data_incomplete)s cannot be judged: what we know does not reach them.")
        if totals["data_incomplete"]
        else ""
    )
    return " ".join(sentence % totals for sentence in (_summarize_targets(totals), blind_template) if sentence)


def _summarize_targets(totals: Mapping[str, Any]) -> str:
    if not totals["settled"]:
        return _("No promise came due this week.")
    if totals["broken"]:
        return _("%(kept)s of %(settled)s promises were kept, %(broken)s not.")
    return ngettext("The one promise was kept.", "All %(settled)s promises were kept.", totals["settled"])


def describe_next_action(figures: Mapping[str, Any]) -> str:
    """What the reader has to do, in a whole sentence."""
    action = describe_required_action(figures)
    return _("Your turn: %(what)s") % {"what": action} if action else explain_no_action(figures)


def explain_no_action(figures: Mapping[str, Any]) -> str:
    """Why the reader has nothing to do."""
    return _(PAST_MESSAGE) if figures["format"] >= COUNTED_SINCE_FORMAT and figures["is_past"] else _(NO_ACTION_MESSAGE)


def describe_required_action(figures: Mapping[str, Any]) -> str:
    """What the reader has to do; blank where nothing. Reports of the first three formats counted the rows they show."""
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
        "late": ngettext("%(count)s late issue", "%(count)s late issues", late) % {"count": late},
        "data_incomplete": ngettext("%(count)s issue", "%(count)s issues", data_incomplete)
        % {"count": data_incomplete},
    }
    if late and data_incomplete:
        return _("decide what follows from %(late)s, and see why %(data_incomplete)s cannot be judged.") % values
    if late:
        return _("decide what follows from %(late)s.") % values
    return _("see why %(data_incomplete)s cannot be judged.") % values if data_incomplete else ""


def _describe_partner_action(overdue: int, coming: int) -> str:
    if overdue:
        message = ngettext(
            "%(count)s issue waited past the due moment.", "%(count)s issues waited past the due moment.", overdue
        )
    elif coming:
        message = ngettext(
            "%(count)s issue will be late this week if nothing happens.",
            "%(count)s issues will be late this week if nothing happens.",
            coming,
        )
    else:
        return ""
    return message % {"count": overdue or coming}
