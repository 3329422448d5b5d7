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
from integrations.submissions.workflow.states import ResponsibleParty
from portal.analytics.forecast import MIN_WAITS, WINDOW_DAYS, Forecast, ProgramWait, WaitHistory, estimate_end
from portal.analytics.metrics import count_working_days
from portal.analytics.models import StageDuration

CACHE_DURATION = timedelta(minutes=10)
MAX_WAITS = 1000  # waits that a forecast looks at
STAGE_SUBJECTS = {
    "engage": gettext_noop("First answers on %(program)s integrations"),
    "develop": gettext_noop("Answers during the development of %(program)s integrations"),
    "review": gettext_noop("Decisions on %(program)s integrations"),
    "release": gettext_noop("Listings of %(program)s integrations"),
}
_forecast_cache: dict[tuple[str, str], tuple[datetime, Forecast | None]] = {}


def clear_cache() -> None:
    """Look again at the next question."""
    _forecast_cache.clear()


def list_waits(program: str, stage: str, now: datetime) -> list[ProgramWait]:
    """The times that the program had the turn, which ended within the longest window. One query."""
    durations = StageDuration.objects.filter(
        program_key=program, stage=stage, holder=str(ResponsibleParty.PROGRAM),
        until__gt=now - timedelta(days=WINDOW_DAYS[-1]), until__lte=now,
    )  # fmt: skip
    rows = durations.order_by("-until").values_list("since", "until")[:MAX_WAITS]
    return [ProgramWait(started_at, ended_at) for started_at, ended_at in rows]


def get_forecast(program: str, stage: str, now: datetime) -> Forecast | None:
    """The forecast of now, remembered for a while."""
    cached = _forecast_cache.get((program, stage))
    if cached is None or abs(now - cached[0]) > CACHE_DURATION:
        cached = now, WaitHistory(list_waits(program, stage, now), PROGRAM_CALENDAR).forecast(now)
        _forecast_cache[program, stage] = cached
    return cached[1]


@dataclass(frozen=True, slots=True)
class WaitEstimate:
    """What is said: how long it took, what follows for this one, and the moments; blank and None where too few."""

    sentence: str
    here: str = ""
    middle: datetime | None = None
    latest: datetime | None = None


def format_working_days(value: float) -> str:
    """ "6 working days", whole numbers rounded up, so that nothing is promised too soon."""
    whole = max(1, -int(-value // 1))
    return ngettext("%(count)s working day", "%(count)s working days", whole) % {"count": whole}


def build_sentence(program: str, stage: str, forecast: Forecast | None) -> str:
    """How long it took before, in one sentence."""
    if stage not in STAGE_SUBJECTS:
        return ""
    subject = _(STAGE_SUBJECTS[stage]) % {"program": PROGRAMS[program].name}
    if forecast is None:
        message = _("%(what)s: too few to say how long they take (fewer than %(enough)s in a year).")
        return message % {"what": subject, "enough": MIN_WAITS}
    message = (
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
    latest = max(1, -int(-forecast.p90 // 1))
    return message % {
        "what": subject,
        "middle": format_working_days(forecast.p50),
        "latest": latest,
        "days": forecast.window,
        "count": forecast.count,
    }


def estimate_wait(integration: Integration, now: datetime) -> WaitEstimate | None:
    """What a waiting integration's page says; None unless the program has the turn before it is listed."""
    turn_started_at = integration.responsible_since
    if (
        integration.responsible_party != ResponsibleParty.PROGRAM
        or integration.stage not in STAGE_SUBJECTS
        or integration.on_hold_for
        or turn_started_at is None
    ):
        return None
    forecast = get_forecast(integration.program_key, integration.stage, now)
    text = build_sentence(integration.program_key, integration.stage, forecast)
    if forecast is None:
        return WaitEstimate(text)
    waited_days = count_working_days(turn_started_at, now, PROGRAM_CALENDAR)
    middle, latest = estimate_end(forecast, turn_started_at, PROGRAM_CALENDAR)
    if waited_days > forecast.p90:
        return WaitEstimate(
            text,
            _("This one has waited %(days)s, longer than nine of ten.") % {"days": format_working_days(waited_days)},
        )
    return WaitEstimate(text, "", middle if middle > now else None, latest)
