"""What does a report say in sentences: its subject, how the week was, what the reader has to do? Pure.

In the language that is spoken; of the same figures the same.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.sla.formatting import per_cent

COUNTED = 4  # since this format what is late and what will be is counted, not only listed
PAST = gettext_noop("Nothing waits for you here: the newest report says what waits now.")
NOTHING = gettext_noop("You have nothing to do.")


def change(now: float | None, before: float | None) -> str:
    """ "+2", "−0.5", "±0", or nothing where one of them is missing."""
    if now is None or before is None:
        return ""
    moved = round(now - before, 1)
    return f"{'+' if moved > 0 else '−' if moved < 0 else '±'}{abs(moved):g}"


def subject(figures: Mapping[str, Any]) -> str:
    """The answer in one line: "SLA week 47: 96 % in time (+2), 3 broken, 2 at risk – Acme, Foo"."""
    names = list(dict.fromkeys(row["partner"] for row in figures["worst"]))
    if figures["scope"].startswith("partner:"):
        names = [figures["name"]]
    return _week_in_short(figures) + (f" – {', '.join(names)}" if names else "")


def _week_in_short(figures: Mapping[str, Any]) -> str:
    totals = figures["totals"]
    said = {**totals, "week": int(figures["week"].split("W")[1])}
    if not totals["settled"]:
        if totals["overdue"]:
            return _("SLA week %(week)s: nothing was due, %(overdue)s overdue, %(at_risk)s at risk") % said
        return _("SLA week %(week)s: nothing was due, %(at_risk)s at risk") % said
    moved = change(totals["share"], figures["before"]["share"])
    said |= {"share": per_cent(totals["share"]), "moved": moved}
    if moved:
        words = _("SLA week %(week)s: %(share)s in time (%(moved)s), %(broken)s broken, %(at_risk)s at risk")
    else:
        words = _("SLA week %(week)s: %(share)s in time, %(broken)s broken, %(at_risk)s at risk")
    return words % said


def verdict(figures: Mapping[str, Any]) -> str:
    """How the week was, in one sentence; in another, what cannot be judged."""
    totals = figures["totals"]
    if not figures["watched"]:
        return _("No integration was in support, so nothing was promised.")
    blind = _("%(blind)s cannot be judged: what we know does not reach them.") if totals["blind"] else ""
    return " ".join(sentence % totals for sentence in (_kept(totals), blind) if sentence)


def _kept(totals: Mapping[str, Any]) -> str:
    if not totals["settled"]:
        return _("No promise came due this week.")
    if totals["broken"]:
        return _("%(kept)s of %(settled)s promises were kept, %(broken)s not.")
    return ngettext("The one promise was kept.", "All %(settled)s promises were kept.", totals["settled"])


def turn(figures: Mapping[str, Any]) -> str:
    """What the reader has to do, in a whole sentence."""
    todo = to_do(figures)
    return _("Your turn: %(what)s") % {"what": todo} if todo else at_rest(figures)


def at_rest(figures: Mapping[str, Any]) -> str:
    """Why the reader has nothing to do."""
    return _(PAST) if figures["format"] >= COUNTED and figures["is_past"] else _(NOTHING)


def to_do(figures: Mapping[str, Any]) -> str:
    """What the reader has to do; blank where nothing. Reports of the first three formats counted the rows they show."""
    counted = figures["format"] >= COUNTED
    if counted and figures["is_past"]:
        return ""
    totals = figures["totals"]
    if figures["scope"].startswith("partner:"):
        return _of_the_partner(totals["overdue"], figures["coming_in_all"] if counted else len(figures["coming"]))
    if counted:
        return _of_the_program(totals["overdue"], totals["blind"])
    return _of_the_program(len(figures["worst"]), 0)


def _of_the_program(late: int, blind: int) -> str:
    said = {
        "late": ngettext("%(count)s late issue", "%(count)s late issues", late) % {"count": late},
        "blind": ngettext("%(count)s issue", "%(count)s issues", blind) % {"count": blind},
    }
    if late and blind:
        return _("decide what follows from %(late)s, and see why %(blind)s cannot be judged.") % said
    if late:
        return _("decide what follows from %(late)s.") % said
    return _("see why %(blind)s cannot be judged.") % said if blind else ""


def _of_the_partner(overdue: int, coming: int) -> str:
    if overdue:
        said = ngettext(
            "%(count)s issue waited past the due moment.", "%(count)s issues waited past the due moment.", overdue
        )
    elif coming:
        said = ngettext(
            "%(count)s issue will be late this week if nothing happens.",
            "%(count)s issues will be late this week if nothing happens.",
            coming,
        )
    else:
        return ""
    return said % {"count": overdue or coming}
