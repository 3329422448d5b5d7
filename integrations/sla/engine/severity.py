"""How severe is an issue, and since when? By the labels that the policy names."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from integrations.sla.engine.types import Happening, Kind, Policy, Severity

TELLING = frozenset({Kind.OPENED, Kind.LABELED, Kind.SEVERITY_LOWERED})  # the kinds that say something of it
AT_ONCE = timedelta(hours=1)  # a label put so soon after the opening counts from the opening


def telling_of(happenings: Iterable[Happening]) -> list[Happening]:
    """Those that say how severe it is, in order. What the partner had asked for counts from the asking too."""
    told = [happening for happening in happenings if happening.kind in TELLING]
    told += [replace(h, at=datetime.fromisoformat(str(h.data["asked"]))) for h in told if h.data.get("asked")]
    return sorted(told, key=lambda happening: happening.at)


def severity_of(happenings: Iterable[Happening], policy: Policy, until: datetime) -> tuple[Severity, datetime | None]:
    """The severity at a moment, and since when it is critical (None for other).

    A critical label raises it whoever puts it; taking the label off changes nothing; only the program's consent
    lowers it, and a label put after that raises it again. `happenings`: those of `telling_of`.
    """
    since: datetime | None = None
    opened: datetime | None = None
    for happening in happenings:
        if happening.at > until:
            break
        if happening.kind == Kind.OPENED and opened is None:
            opened = happening.at
        wanted = _wanted(happening, policy)
        if wanted == Severity.OTHER:
            since = None
        elif wanted == Severity.CRITICAL and since is None:
            since = opened if opened and happening.at - opened <= AT_ONCE else happening.at
    return (Severity.CRITICAL, since) if since else (Severity.OTHER, None)


def _wanted(happening: Happening, policy: Policy) -> Severity | None:
    """The severity that a happening sets, None for one that sets none."""
    if happening.kind == Kind.LABELED:
        return Severity.CRITICAL if plain(happening.label) in policy.critical_labels else None
    if happening.kind == Kind.OPENED:
        labels = happening.data.get("labels", ())
        critical = isinstance(labels, list | tuple) and any(plain(str(n)) in policy.critical_labels for n in labels)
        return Severity.CRITICAL if critical else None
    if happening.kind == Kind.SEVERITY_LOWERED:
        return Severity(str(happening.data.get("severity", Severity.OTHER)))
    return None


def plain(label: str) -> str:
    """A label as policies write it."""
    return label.strip().lower()
