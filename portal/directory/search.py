"""Which listings does the directory show? Filters read from an address, the rows they leave, and counts beside each.

The pages, the feeds and the API ask here: `read()` the filters, `found()` the rows, `listing_data()` one row's JSON.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings
from django.db.models import Case, Count, QuerySet, Value, When
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.compliance.public_status import SHOWN
from integrations.programs.registry import PROGRAMS
from portal.core.name_matching import plain
from portal.core.text_fields import searched
from portal.directory.models import Listing
from portal.directory.services import GONE
from portal.directory.support_metrics import DAYS, MINIMUM

TERMS = 8  # of a search
SORTS = {
    "newest": gettext_noop("Newest first"),
    "name": gettext_noop("By name"),
    "support": gettext_noop("By support record"),
}
BEST = gettext_noop("Best match")  # the usual order while somebody searches
ORDERS: dict[str, tuple[str, ...]] = {
    "newest": ("-listed_at", "-integration"),
    "name": ("name_plain", "integration"),
    "support": ("-rank", "-settled", "-integration"),
}
TRACKS = {"infrastructure": gettext_noop("Infrastructure partners"), "workflow": gettext_noop("Workflow partners")}
STANDINGS = {
    "": gettext_noop("Listed now"),
    "good": gettext_noop("In good standing"),
    "suspended": gettext_noop("Suspended"),
    "former": gettext_noop("No longer listed"),
    "any": gettext_noop("All of them"),
}
OF_STANDING: dict[str, tuple[str, ...]] = {
    "": ("listed", "suspended"),
    "good": ("listed",),
    "suspended": ("suspended",),
    "former": tuple(sorted(GONE)),
    "any": tuple(SHOWN),
}
CHOICES_OF = {key: [c for c, standings in OF_STANDING.items() if key in standings] for key in SHOWN}
FACETS = ("product", "track", "program", "category", "tier", "platform", "standing")
COLUMNS = ("product", "track", "program", "category", "category_name", "tier", "tier_name", "platforms", "standing")


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked for; a blank leaves everything. `q` in the reader's own letters."""

    q: str = ""
    product: str = ""
    track: str = ""
    program: str = ""
    category: str = ""
    tier: str = ""
    standing: str = ""
    platform: str = ""
    partner: str = ""
    sort: str = ""

    @property
    def terms(self) -> list[str]:
        return plain(self.q).split()[:TERMS]

    @property
    def order(self) -> str:
        """The order in force: what is asked for, else the best match while somebody searches, else the newest."""
        return self.sort or ("best" if self.terms else "newest")

    @property
    def sorts(self) -> list[tuple[str, str, bool]]:
        """The orders to choose from: value, word, whether chosen. The usual one is blank: it follows what is typed."""
        others = [(key, _(word), key == self.sort) for key, word in SORTS.items() if self.terms or key != "newest"]
        usual = BEST if self.terms else SORTS["newest"]
        return [("", _(usual), not any(chosen for *_, chosen in others)), *others]

    def given(self) -> dict[str, str]:
        """The parameters of the address that say the same."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}


def read(query: Mapping[str, str]) -> Filters:
    """Filters from an address. What cannot be meant is as if it were not there."""
    given = {field.name: searched(query.get(field.name, ""))[:100] for field in fields(Filters)}
    wrong = {
        "program": given["program"] not in PROGRAMS,
        "track": given["track"] not in TRACKS,
        "standing": given["standing"] not in STANDINGS,
        "sort": given["sort"] not in SORTS,
    }
    return Filters(**{name: "" if wrong.get(name) else value for name, value in given.items()})


def found(filters: Filters) -> QuerySet[Listing]:
    """The rows that the filters leave, in their order."""
    rows = matching(filters).filter(standing__in=OF_STANDING[filters.standing])
    for name in ("product", "track", "program", "category", "tier"):
        if value := getattr(filters, name):
            rows = rows.filter(**{name: value})
    if filters.platform:
        rows = rows.filter(platforms__contains=f" {filters.platform} ")
    return in_order(rows, filters)


def matching(filters: Filters) -> QuerySet[Listing]:
    """What the words and the company leave, whatever the other filters say."""
    rows = Listing.objects.all()
    if filters.partner:
        rows = rows.filter(publisher_slug=filters.partner)
    for term in filters.terms:
        rows = rows.filter(words__contains=term)
    return rows


def in_order(rows: QuerySet[Listing], filters: Filters) -> QuerySet[Listing]:
    if filters.order != "best":
        return rows.order_by(*ORDERS[filters.order])
    words = " ".join(filters.terms)
    near = Case(
        When(name_plain__startswith=words, then=Value(0)),
        When(name_plain__contains=f" {words}", then=Value(1)),
        When(name_plain__contains=words, then=Value(2)),
        default=Value(3),
    )
    return rows.order_by(near, "name_plain", "integration")


@dataclass(slots=True)
class Option:
    """One choice of a filter: its value, what it is called, how many there would be, whether it is chosen."""

    value: str
    word: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facets:
    """How many the filters leave, and the choices of each filter with how many each would leave."""

    count: int
    options: dict[str, list[Option]]


Combo = Mapping[str, str]


def facets(filters: Filters) -> Facets:
    """One query: a row for each combination that there is; a few hundred, however many listings there are."""
    wanted = {name: value for name in FACETS if (value := getattr(filters, name))} | {"standing": filters.standing}
    options: dict[str, dict[str, Option]] = {name: {} for name in FACETS}
    count = 0
    for row in matching(filters).order_by().values_list(*COLUMNS).annotate(n=Count("pk")):
        combo, n = dict(zip(COLUMNS, row[:-1], strict=True)), row[-1]
        failing = [name for name, value in wanted.items() if value not in _values(name, combo)]
        count += 0 if failing else n
        if len(failing) < 2:  # what one filter alone keeps out counts for the other choices of that filter
            for name in failing or FACETS:
                _count(options[name], name, combo, n, filters)
    return Facets(count, {name: _options(name, found, filters) for name, found in options.items()})


def _count(options: dict[str, Option], name: str, combo: Combo, n: int, filters: Filters) -> None:
    for value in _values(name, combo):
        option = options.get(value)
        if option is None:
            options[value] = Option(value, _word(name, value, combo), n, value == getattr(filters, name))
        else:
            option.count += n


def _options(name: str, found: dict[str, Option], filters: Filters) -> list[Option]:
    """The choices of a filter in their order; one that is chosen and leaves nothing stands there with 0."""
    chosen = getattr(filters, name)
    if name == "standing":
        return [found.get(value, Option(value, _(word), 0, value == chosen)) for value, word in STANDINGS.items()]
    if chosen:
        found.setdefault(chosen, Option(chosen, _word(name, chosen, {}), 0, True))
    return sorted((option for value, option in found.items() if value), key=lambda option: option.word.casefold())


def _values(name: str, combo: Combo) -> Iterable[str]:
    """The choices of a filter that a combination counts for."""
    if name == "standing":
        return CHOICES_OF[combo["standing"]]
    return combo["platforms"].split() if name == "platform" else (combo[name],)


def _word(name: str, value: str, combo: Combo) -> str:
    if name == "program":
        return PROGRAMS[value].name if value in PROGRAMS else value
    if name == "track":
        return TRACKS.get(value, value)
    if name == "platform":
        return platform_word(value)
    if name == "standing":
        return _(STANDINGS[value])
    return combo.get(f"{name}_name") or value


SYSTEMS = {"darwin": "macOS", "linux": "Linux", "windows": "Windows", "freebsd": "FreeBSD", "openbsd": "OpenBSD"}


def platform_word(platform: str) -> str:
    """ "Linux amd64" of "linux_amd64"."""
    system, _, machine = platform.partition("_")
    return f"{SYSTEMS.get(system, system)} {machine}".strip()


def platform_words(platforms: Iterable[str]) -> list[str]:
    """Platforms, those of one system together: "Linux amd64, arm64"."""
    machines: dict[str, list[str]] = {}
    for platform in sorted(platforms):
        system, _, machine = platform.partition("_")
        machines.setdefault(SYSTEMS.get(system, system), []).append(machine)
    return [
        f"{system} {', '.join(each)}".strip()
        for system, each in sorted(machines.items(), key=lambda found: found[0].casefold())
    ]


def absolute(address: str) -> str:
    """A path of this portal as a whole address."""
    return f"{settings.SITE_URL.rstrip('/')}{address}"


def listing_data(row: Listing) -> dict[str, Any]:
    """One listing as JSON: the shape of the API and of data beside the pages. Moments are ISO texts in UTC."""
    page = absolute(reverse("listing", args=[row.uuid]))
    public = SHOWN[row.standing]
    return {
        "id": str(row.uuid),
        "name": row.name,
        "summary": row.summary,
        "url": page,
        "logo": absolute(reverse("listing_logo", args=[row.uuid])) if row.has_logo else None,
        "publisher": {"name": row.publisher, "slug": row.publisher_slug},
        "product": row.product,
        "program": {"key": row.program, "name": PROGRAMS[row.program].name},
        "track": row.track or None,
        "category": {"key": row.category, "name": row.category_name} if row.category else None,
        "tier": {"key": row.tier, "name": row.tier_name} if row.tier else None,
        "standing": {
            "key": row.standing,
            "word": public.word,
            "sentence": public.sentence,
            "since": _iso(row.standing_since),
        },
        "version": row.version or None,
        "platforms": row.platforms.split(),
        "listed_at": _iso(row.listed_at),
        "changed_at": _iso(row.changed_at),
        "support": support_data(row),
    }


def support_data(row: Listing) -> dict[str, Any]:
    """The support record: `says_enough` is false where the sample is too small for a share to mean something."""
    return {
        "days": DAYS,
        "share_in_time": row.share,
        "settled": row.settled,
        "median_hours_to_first_answer": row.median_hours,
        "answers": row.answers,
        "minimum": MINIMUM,
        "says_enough": row.settled >= MINIMUM,
    }


def _iso(moment: Any) -> str | None:
    return moment.isoformat() if moment else None
