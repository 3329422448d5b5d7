"""What is a partner told about the wait? The forecast for a program and a stage, in honest words.

A process remembers a forecast for some minutes: it moves slowly, and every page of a waiting partner shows one.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import PROGRAM_CALENDAR
from integrations.submissions.workflow.states import Holder
from portal.analytics.forecast import ENOUGH, WINDOWS, Forecast, Past, Wait, expected
from portal.analytics.metrics import working_days
from portal.analytics.models import Passage

REMEMBERED = timedelta(minutes=10)
NEWEST = 1000  # waits that a forecast looks at
WHAT = {
    "engage": gettext_noop("First answers on %(program)s integrations"),
    "develop": gettext_noop("Answers during the development of %(program)s integrations"),
    "review": gettext_noop("Decisions on %(program)s integrations"),
    "release": gettext_noop("Listings of %(program)s integrations"),
}
_known: dict[tuple[str, str], tuple[datetime, Forecast | None]] = {}


def forget() -> None:
    """Look again at the next question."""
    _known.clear()


def waits(program: str, stage: str, now: datetime) -> list[Wait]:
    """The times that the program had the turn, which ended within the longest window. One query."""
    found = Passage.objects.filter(
        program_key=program, stage=stage, holder=str(Holder.PROGRAM),
        until__gt=now - timedelta(days=WINDOWS[-1]), until__lte=now,
    )  # fmt: skip
    rows = found.order_by("-until").values_list("since", "until")[:NEWEST]
    return [Wait(since, until) for since, until in rows]


def forecast_of(program: str, stage: str, now: datetime) -> Forecast | None:
    """The forecast of now, remembered for a while."""
    kept = _known.get((program, stage))
    if kept is None or abs(now - kept[0]) > REMEMBERED:
        kept = now, Past(waits(program, stage, now), PROGRAM_CALENDAR).forecast(now)
        _known[program, stage] = kept
    return kept[1]


@dataclass(frozen=True, slots=True)
class Told:
    """What is said: how long it took, what follows for this one, and the moments; blank and None where too few."""

    sentence: str
    here: str = ""
    middle: datetime | None = None
    latest: datetime | None = None


def days(value: float) -> str:
    """ "6 working days", whole numbers rounded up, so that nothing is promised too soon."""
    whole = max(1, -int(-value // 1))
    return ngettext("%(count)s working day", "%(count)s working days", whole) % {"count": whole}


def sentence(program: str, stage: str, found: Forecast | None) -> str:
    """How long it took before, in one sentence."""
    if stage not in WHAT:
        return ""
    what = _(WHAT[stage]) % {"program": PROGRAMS[program].name}
    if found is None:
        said = _("%(what)s: too few to say how long they take (fewer than %(enough)s in a year).")
        return said % {"what": what, "enough": ENOUGH}
    said = (
        _(
            "%(what)s took %(middle)s at the middle, %(latest)s for nine of ten "
            "(last %(days)s days, %(count)s decisions)."
        )
        if stage == "review"
        else _(
            "%(what)s took %(middle)s at the middle, %(latest)s for nine of ten "
            "(last %(days)s days, %(count)s answers)."
        )
    )
    latest = max(1, -int(-found.p90 // 1))
    return said % {
        "what": what, "middle": days(found.p50), "latest": latest, "days": found.window, "count": found.count,
    }  # fmt: skip


def told(row: Integration, now: datetime) -> Told | None:
    """What a waiting integration's page says; None unless the program has the turn before it is listed."""
    since = row.turn_since
    if row.turn_holder != Holder.PROGRAM or row.stage not in WHAT or row.hold or since is None:
        return None
    found = forecast_of(row.program_key, row.stage, now)
    said = sentence(row.program_key, row.stage, found)
    if found is None:
        return Told(said)
    waited = working_days(since, now, PROGRAM_CALENDAR)
    middle, latest = expected(found, since, PROGRAM_CALENDAR)
    if waited > found.p90:
        return Told(said, _("This one has waited %(days)s, longer than nine of ten.") % {"days": days(waited)})
    return Told(said, "", middle if middle > now else None, latest)
