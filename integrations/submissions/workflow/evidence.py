"""What does the due process of a standing need to know of the support, which is recorded on the floors above?

Those who watch name themselves here once, when the portal is ready; the guards and the steps ask through this door.
Without a witness nothing is known: then nobody acted, no repository is in other hands, and there is no evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

HELD_FOR_ACT, HELD_FOR_APPEAL = "acted", "appeal"


@dataclass(frozen=True, slots=True)
class Act:
    """Something that speaks for the partner and that no person has looked at yet. Its key is unique in a process."""

    key: str
    at: datetime
    said: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What the witness knows. `up_to`: everything before this moment was seen, None where nothing is watched;
    `frozen`: why the machine put it on hold, while that hold lasts."""

    acts: tuple[Act, ...] = ()
    up_to: datetime | None = None
    frozen: str = ""


@dataclass(slots=True)
class _Witness:
    known: "Callable[[Integration, datetime], Known]" = field(default=lambda _row, _now: Known())
    evidence: "Callable[[Integration, datetime], dict[str, Any]]" = field(default=lambda _row, _now: {})


_witness = _Witness()


def appoint(
    known: "Callable[[Integration, datetime], Known]", evidence: "Callable[[Integration, datetime], dict[str, Any]]"
) -> None:
    """Whom to ask from now on. `evidence` answers with plain JSON."""
    _witness.known, _witness.evidence = known, evidence


def known(integration: "Integration", now: datetime) -> Known:
    """What speaks for and against the next step, as of a moment. Asked once a moment: kept on the row."""
    kept: tuple[datetime, Known] | None = integration.__dict__.get("_known")
    if kept is None or kept[0] != now:
        kept = integration.__dict__["_known"] = (now, _witness.known(integration, now))
    return kept[1]


def evidence(integration: "Integration", now: datetime) -> dict[str, Any]:
    """The pack that both sides see, as it is frozen with a decision."""
    return _witness.evidence(integration, now)
