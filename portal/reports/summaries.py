"""Sentences of a report: its subject, how the period went, and what the reader must do.

They are in the active language, and the same for the same figures. Each count that isn't zero has a row in `CONCERNS`,
worst first, so that a good share can't hide it. `docs/reference/report-situations.md` lists all combinations.
"""

from dataclasses import field
from datetime import datetime
from zoneinfo import ZoneInfo

from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from integrations.sla.formatting import format_percent
from portal.core.content_files import Content, load_section
from portal.core.periods import PeriodKind, parse_period
from portal.core.value_types import JsonObject
from portal.reports.period_texts import describe_period
from portal.reports.scopes import get_display_name

MAX_IMPERFECT_SHARE = 99.9  # a breach never rounds to 100%


class Concern(Content):
    """Count that a report must mention, from content/concerns.yaml. Each text has a singular and a plural."""

    key: str
    subject: tuple[str, str]
    sentence: tuple[str, str]
    past_sentences: dict[PeriodKind, tuple[str, str]] = field(default_factory=dict)
    is_severe: bool = False


CONCERNS = load_section("portal/reports/content/concerns.yaml", "concerns", tuple[Concern, ...])


def describe_as_of(figures: JsonObject, now: datetime) -> JsonObject:
    """Return the figures as past if the period after them has ended: their open issues are no longer current."""
    next_period_ends_at = parse_period(figures["period"]).next.get_bounds(ZoneInfo(figures["zone"]))[1]
    # A report that was created late was about the past from the start.
    return figures | {"is_past": figures["is_past"] or now >= next_period_ends_at}


def format_change(current: float | None, previous: float | None) -> str:
    """Return "+2.0", "−0.5", or "±0", blank if a value is missing."""
    if current is None or previous is None:
        return ""
    difference = round(current - previous, 1)
    if not difference:
        return "±0"
    sign = "+" if difference > 0 else "−"
    return f"{sign}{number_format(abs(difference), 1)}"


def build_subject(figures: JsonObject) -> str:
    """Return the period in one line: "SLA week 47: 96.0% on time (+2.0 pts), 1 breached, 2 at risk – Acme".

    A report of several partners has the name of its scope first, and the partners with the most overdue issues last.
    While something is overdue or can't be evaluated, the subject has no share on time.
    """
    values = {
        "period": describe_period(figures["period"], "subject"),
        "name": get_display_name(figures["scope"], figures["name"]),
        "result": ", ".join(_list_subject_parts(figures)),
        "partners": ", ".join(dict.fromkeys(row["partner"] for row in figures["overdue_issues"])),
    }
    if _is_partner_report(figures):
        return _("%(period)s: %(result)s – %(name)s") % values
    if values["partners"]:
        return _("%(period)s, %(name)s: %(result)s (%(partners)s)") % values
    return _("%(period)s, %(name)s: %(result)s") % values


def _list_subject_parts(figures: JsonObject) -> list[str]:
    """Return the share on time, unless there is a severe concern, and the counts of the concerns."""
    totals = figures["totals"]
    # A good share must not hide that something is overdue or can't be evaluated.
    if is_severe(figures):
        return [format_count(concern.subject, totals[concern.key]) for concern in _list_concerns(figures)]
    usual_keys = ("breached", "at_risk") if totals["settled"] else ("at_risk",)
    concerns = [row for row in CONCERNS if totals.get(row.key) or row.key in usual_keys]
    return [_describe_share(figures), *(format_count(row.subject, totals[row.key]) for row in concerns)]


def _describe_share(figures: JsonObject) -> str:
    totals = figures["totals"]
    if not totals["settled"]:
        return _("no targets due")
    # With more than 2,000 targets, one breach would round to 100%.
    share = min(totals["share"], MAX_IMPERFECT_SHARE) if totals["breached"] else totals["share"]
    change = format_change(totals["share"], figures["previous_totals"]["share"])
    template = _("%(share)s on time (%(change)s pts)") if change else _("%(share)s on time")
    return template % {"share": format_percent(share), "change": change}


def _list_concerns(figures: JsonObject) -> list[Concern]:
    """Return the concerns of the report, worst first. Older reports have fewer counts."""
    return [concern for concern in CONCERNS if figures["totals"].get(concern.key)]


def is_severe(figures: JsonObject) -> bool:
    """Return whether something is overdue or can't be evaluated."""
    return any(concern.is_severe for concern in _list_concerns(figures))


def is_empty(figures: JsonObject) -> bool:
    """Return whether a report has nothing to report: no concern, and no target that was or is soon due."""
    return not (_list_concerns(figures) or figures["totals"]["settled"] or figures["due_soon_count"])


def build_verdict(figures: JsonObject) -> str:
    """Return how the period went: the severe concerns, the SLA targets that were due, and the other concerns."""
    concerns = _list_concerns(figures)
    if not (concerns or figures["monitored_repository_count"] or figures["totals"]["settled"]):
        return _("No integration was in support, so no SLA targets applied.")
    return " ".join(
        [
            *(_describe_concern(concern, figures) for concern in concerns if concern.is_severe),
            _describe_settled(figures),
            *(
                _describe_concern(concern, figures)
                for concern in concerns
                # The sentence about the targets has named the breaches already.
                if not concern.is_severe and concern.key != "breached"
            ),
        ]
    )


def _describe_concern(concern: Concern, figures: JsonObject) -> str:
    past_sentence = concern.past_sentences.get(figures["kind"]) if figures["is_past"] else None
    return format_count(past_sentence or concern.sentence, figures["totals"][concern.key])


def format_count(forms: tuple[str, str], count: int) -> str:
    """Return the singular or the plural of a text with its count."""
    return ngettext(*forms, count) % {"count": count}


def _describe_settled(figures: JsonObject) -> str:
    """Return how many of the due targets were met. Praise needs a period without a severe concern."""
    totals = figures["totals"]
    if not totals["settled"]:
        return describe_period(figures["period"], "none_due")
    if totals["breached"] or is_severe(figures):
        sentence = ngettext(
            "%(met)s of %(settled)s SLA target met, %(breached)s breached.",
            "%(met)s of %(settled)s SLA targets met, %(breached)s breached.",
            totals["settled"],
        )
        return sentence % totals
    if totals["settled"] == 2:
        return _("Both SLA targets were met.")
    return ngettext("The only SLA target was met.", "All %(settled)s SLA targets were met.", totals["settled"]) % totals


def describe_required_action(figures: JsonObject) -> str:
    """Return what the reader must do, or an empty string. A past report requires nothing."""
    context = figures | {"is_partner_report": _is_partner_report(figures)}
    return " ".join(render_to_string("reports/sentences/action.txt", context).split())


def describe_next_action(figures: JsonObject) -> str:
    """Return what the reader must do, or that no action is needed."""
    if action := describe_required_action(figures):
        return _("Action required: %(action)s") % {"action": action}
    if not figures["is_past"]:
        return _("No action needed.")
    first = _describe_concern(_list_concerns(figures)[0], figures) if is_severe(figures) else _("No action needed.")
    return " ".join([first, _("The latest report shows what is open now.")])


def _is_partner_report(figures: JsonObject) -> bool:
    return figures["scope"].startswith("partner:")
