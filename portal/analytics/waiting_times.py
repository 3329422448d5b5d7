"""Wait time forecasts for partners, by program and stage.

Forecasts change slowly and appear on many pages, so each process caches them for a few minutes.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_program_calendar
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.analytics.forecast import MIN_WAITS, WINDOW_DAYS, Forecast, ProgramWait, WaitHistory, estimate_end
from portal.analytics.metrics import count_business_days
from portal.analytics.models import StageDuration

CACHE_DURATION = timedelta(minutes=10)
MAX_WAITS = 1000  # per forecast
STAGE_SUBJECTS = {
    "engage": gettext_noop("First responses to %(program)s integrations"),
    "develop": gettext_noop("Responses during the development of %(program)s integrations"),
    "review": gettext_noop("Decisions on %(program)s integrations"),
    "release": gettext_noop("Listings of %(program)s integrations"),
}
_forecast_cache: dict[tuple[str, str], tuple[datetime, Forecast | None]] = {}


def clear_cache() -> None:
    """Clear the forecast cache."""
    _forecast_cache.clear()


def list_waits(program: str, stage: str, now: datetime) -> list[ProgramWait]:
    """Return the program's waits that ended within the longest window. One query."""
    durations = StageDuration.objects.filter(
        program_key=program,
        stage=stage,
        responsible_party=str(ResponsibleParty.PROGRAM),
        ended_at__gt=now - timedelta(days=WINDOW_DAYS[-1]),
        ended_at__lte=now,
    )
    rows = durations.order_by("-ended_at").values_list("started_at", "ended_at")[:MAX_WAITS]
    return [ProgramWait(started_at, ended_at) for started_at, ended_at in rows]


def get_forecast(program: str, stage: str, now: datetime) -> Forecast | None:
    """Return the current forecast from the cache or the database."""
    cached = _forecast_cache.get((program, stage))
    if cached is None or abs(now - cached[0]) > CACHE_DURATION:
        cached = now, WaitHistory(list_waits(program, stage, now), get_program_calendar(program)).forecast(now)
        _forecast_cache[program, stage] = cached
    return cached[1]


@dataclass(frozen=True, slots=True)
class WaitEstimate:
    """Estimate for one integration: past waits, a note, and expected times. Empty without enough data."""

    summary: str
    note: str = ""
    median_at: datetime | None = None
    p90_at: datetime | None = None


def format_business_days(value: float) -> str:
    """Format business days, rounded up, such as "6 business days"."""
    # Rounded up, because the wait must not seem shorter than it was.
    whole = max(1, -int(-value // 1))
    return ngettext("%(count)s business day", "%(count)s business days", whole) % {"count": whole}


def build_summary(program: str, stage: str, forecast: Forecast | None) -> str:
    """Describe past waits in one sentence."""
    if stage not in STAGE_SUBJECTS:
        return ""
    subject = _(STAGE_SUBJECTS[stage]) % {"program": PROGRAMS[program].name}
    if forecast is None:
        message = _("%(subject)s: not enough data for a forecast (fewer than %(minimum)s in a year).")
        return message % {"subject": subject, "minimum": MIN_WAITS}
    message = (
        _("%(subject)s: median %(median)s · 90%% within %(p90)s (last %(days)s days, %(count)s decisions).")
        if stage == "review"
        else _("%(subject)s: median %(median)s · 90%% within %(p90)s (last %(days)s days, %(count)s responses).")
    )
    return message % {
        "subject": subject,
        "median": format_business_days(forecast.p50),
        "p90": format_business_days(forecast.p90),
        "days": forecast.window,
        "count": forecast.count,
    }


def estimate_wait(integration: Integration, now: datetime) -> WaitEstimate | None:
    """Estimate the wait of an unlisted integration. None unless it waits for the program and past waits are known."""
    responsible_since = integration.responsible_since
    if (
        integration.responsible_party != ResponsibleParty.PROGRAM
        or integration.stage not in STAGE_SUBJECTS
        or integration.on_hold_for
        or responsible_since is None
    ):
        return None
    forecast = get_forecast(integration.program_key, integration.stage, now)
    if forecast is None:
        return None
    summary = build_summary(integration.program_key, integration.stage, forecast)
    calendar = get_program_calendar(integration.program_key)
    waited_days = count_business_days(responsible_since, now, calendar)
    median_at, p90_at = estimate_end(forecast, responsible_since, calendar)
    # The forecast has failed, and dates in the past would help no one.
    if waited_days > forecast.p90:
        return WaitEstimate(
            summary,
            _("This integration has waited %(days)s, longer than 90%% of others.")
            % {"days": format_business_days(waited_days)},
        )
    return WaitEstimate(summary, "", median_at if median_at > now else None, p90_at)
