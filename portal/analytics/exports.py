"""Which tables can be taken as a file? Each is made of the same query as the page that offers it."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS, edition_of
from integrations.reviews.forms.queue import FILTERS, filters_of
from integrations.reviews.selectors import queue
from integrations.sla import exports as sla_files
from integrations.sla.filters import chosen as sla_chosen
from integrations.sla.presenters import COLUMNS as SLA_COLUMNS
from integrations.submissions.forms.filters import ListFilter
from integrations.submissions.models import Integration
from integrations.submissions.views.lists import fitting
from portal.analytics import flow_presenters, forecast_accuracy, metrics, workload_exports
from portal.analytics.filters import chosen, for_program
from portal.analytics.funnel import funnel
from portal.analytics.selectors import flow as reading_flow
from portal.analytics.selectors import stays as reading
from portal.analytics.selectors import workload
from portal.core.exports import Cell, Table
from portal.core.iso_weeks import zone

Rows = Iterator[tuple[Cell, ...]]
MOST = 50_000  # rows of one file
PIECE = 500
MOMENTS = frozenset({"opened", "due", "stopped", "spoke_last_at", "data_up_to"})
LIST = (
    "integration", "company", "program", "edition", "step", "stage", "standing", "tier", "category", "repository",
    "turn", "next", "due (UTC)", "since (UTC)", "round", "reviewer", "began (UTC)", "listed (UTC)", "address",
)  # fmt: skip
READ = (
    "name", "partner__name", "program_key", "edition_date", "step", "stage", "standing", "tier", "category",
    "repository", "turn_holder", "turn_action", "turn_due_at", "turn_since", "review_round", "reviewer__name",
    "created_at", "released_at", "uuid",
)  # fmt: skip


def _listed(rows: Any) -> Rows:
    for row in rows.values_list(*READ)[:MOST].iterator(chunk_size=PIECE):
        *cells, uuid = row
        program, edition, step = cells[2:5]
        cells[4] = edition_of(program, edition).step(step).name
        cells[2] = PROGRAMS[program].name
        yield (*cells, settings.SITE_URL + reverse("integration", args=[uuid]))


def integrations(request: HttpRequest, now: datetime) -> Table:
    """The list as the address filters it, of what the reader may see."""
    form = ListFilter(request.GET)
    form.is_valid()
    rows = fitting(Integration.objects.visible_to(request.user), form.cleaned_data)
    columns = LIST if permissions.works_for_program(request.user) else tuple(c for c in LIST if c != "reviewer")
    cut = LIST.index("reviewer")
    told = _listed(rows)
    return Table("integrations", columns, told if columns == LIST else ((*r[:cut], *r[cut + 1 :]) for r in told))


def of_queue(request: HttpRequest, now: datetime) -> Table:
    """The queue as the address filters it."""
    for_program(request)
    filters, _ = filters_of(tuple(request.GET.get(name, "")[:60] for name in FILTERS))
    rows = queue.chosen(filters, now).filter(queue.in_tab(request.GET.get("tab", ""), request.user, now))
    return Table("queue", LIST, _listed(rows))


def sla(request: HttpRequest, now: datetime) -> Table:
    """The clocks as the address filters them."""
    keys, _ = sla_files.keys_of(sla_chosen(request.user, request.GET).shown(now))
    rows = (tuple(_cell(c, row[c]) for c in SLA_COLUMNS) for some in sla_files.pieces(keys, now) for row in some)
    return Table("sla", SLA_COLUMNS, rows)


def _cell(column: str, value: Any) -> Cell:
    """A moment where the column holds moments; a title of somebody else's is a text, whatever it looks like."""
    if column in MOMENTS:
        return datetime.fromisoformat(value) if value else ""
    return value if isinstance(value, str | int | float) or value is None else str(value)


def stages(request: HttpRequest, now: datetime) -> Table:
    choice = chosen(request, now)
    found = metrics.by_program(reading.stays(choice))
    ends = [f"up to {n} days" for n in metrics.ENDS_OF_COLUMNS] + ["longer"]
    rows: list[tuple[Cell, ...]] = [
        (PROGRAMS[key].name, each.stage, each.count, each.p50, each.p90, *each.columns)
        for key, lines in found.items()
        for each in lines
    ]
    columns = ("program", "stage", "left it", "middle (working days)", "nine of ten (working days)", *ends)
    return Table("time-in-stages", columns, rows)


def holders(request: HttpRequest, now: datetime) -> Table:
    spent = reading.spent(chosen(request, now))
    rows = [(PROGRAMS[s.program].name, s.stage, s.holder, round(s.time / metrics.DAY, 2)) for s in spent]
    return Table("time-by-holder", ("program", "stage", "holder", "days"), sorted(rows))


def throughput(request: HttpRequest, now: datetime) -> Table:
    choice, here = chosen(request, now), zone()
    days = reading_flow.spans(choice, here)
    counts = reading_flow.throughput(choice, days, here)
    rows: list[tuple[Cell, ...]] = [(day, *(counts[name][n] for name in counts)) for n, day in enumerate(days)]
    return Table("throughput", ("from", *(name.lower() for name in counts)), rows)


def of_funnel(request: HttpRequest, now: datetime) -> Table:
    rows = [
        (s.name, s.reached, s.still, ", ".join(f"{n} {w}" for w, n in s.ended))
        for s in funnel(reading_flow.groups(chosen(request, now)))
    ]
    return Table("funnel", ("step", "reached", "still there", "ended there"), rows)


def reviewers(request: HttpRequest, now: datetime) -> Table:
    choice = chosen(request, now, period=False)
    with override("en"):  # as every file
        loads = workload.loads(choice)
    rows = [(x.name, x.open, x.most, x.waiting, x.oldest, x.decided, x.away) for x in loads]
    columns = ("reviewer", "open", "takes on", "wait for them", "oldest (UTC)", "decided in 30 days", "away")
    return Table("reviewers", columns, rows)


def forecasts(request: HttpRequest, now: datetime) -> Table:
    choice = chosen(request, now, period=False)
    lines = forecast_accuracy.of_programs(now, program=choice.program, weeks=flow_presenters.YEAR)
    rows = [
        (x.name, *((x.now.p50, x.now.p90, x.now.count, x.now.window) if x.now else (None,) * 4), x.held.count,
         x.held.middle, x.held.share)
        for x in lines
    ]  # fmt: skip
    columns = ("program", "middle", "nine of ten", "decisions", "within days", "tried on", "middle held %", "held %")
    return Table("forecast", columns, rows)


TABLES: dict[str, Callable[[HttpRequest, datetime], Table]] = {
    "integrations": integrations,
    "queue": of_queue,
    "sla": sla,
    "stages": stages,
    "holders": holders,
    "throughput": throughput,
    "funnel": of_funnel,
    "reviewers": reviewers,
    "forecast": forecasts,
    "waivers": workload_exports.waivers,
    "failing": workload_exports.failing,
    "outbox": workload_exports.mail,
    "companies": workload_exports.companies,
}
# what each list offers as a file: (table, its words); the SLA list offers its own CSV
OFFERED: dict[str, tuple[tuple[str, str], ...]] = {
    "integrations": (("integrations", ""),),
    "queue": (("queue", ""),),
    "sla": (("sla", ""),),
    "office": (("stages", gettext_noop("Stages")), ("holders", gettext_noop("Holders"))),
    "office_flow": (("throughput", gettext_noop("Throughput")), ("funnel", gettext_noop("Funnel"))),
    "office_people": (
        ("reviewers", gettext_noop("Reviewers")),
        ("failing", gettext_noop("Checks")),
        ("waivers", gettext_noop("Waivers")),
    ),
    "outbox": (("outbox", ""),),
    "companies": (("companies", ""),),
    "office_forecast": (("forecast", ""),),
}


def table_of(name: str, request: HttpRequest, now: datetime) -> Table:
    """The table that an address names. Raises Http404."""
    if name not in TABLES:
        raise Http404(_("There is no such table."))
    return TABLES[name](request, now)
