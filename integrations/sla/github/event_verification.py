"""Does GitHub know what a webhook told? Whoever knows a hook's secret can write its deliveries: GitHub's lists decide.

The watched party knows the secret of its own hook. So each comment, closing and pause label that only a webhook told is
looked for in what GitHub's lists show. What the same reading showed costs no question; for what is not there GitHub is
asked once more, and a fact that it does not know is denied: the fold leaves it out, and says so.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from integrations.sla.engine.severity import plain
from integrations.sla.engine.types import DENIED, Happening, Kind
from integrations.sla.github.event_mapping import NOBODY, UNREAD, Told, moment
from integrations.sla.github.event_store import SAME_CHANGE, Said
from integrations.sla.models import IssueEvent, Watch
from integrations.sla.services.policies import policy_of
from verification.sources.github import issues
from verification.sources.github.issues import Asks

log = logging.getLogger(__name__)
CHANGED = {
    Kind.CLOSED: (Kind.REOPENED, "closed"),
    Kind.LABELED: (Kind.UNLABELED, "labeled"),
}  # undone by, GitHub's word
ASKED = (Kind.COMMENTED, *CHANGED)  # what stops or pauses a clock
SETTLED = timedelta(hours=1)  # so much later GitHub's lists show whatever happened
FIRST = timedelta(days=1)  # how far the first look reaches back
AT_ONCE = 50  # facts that GitHub is asked for in one reading; what is left is asked for in the next


@dataclass(slots=True)
class Shown:
    """What GitHub's lists showed in one reading. `comments`: (issue, comment, actor, moment); `changes`: (issue, kind,
    label, actor) and moment; `deleted`: the comments that they called so.
    """

    comments: set[tuple[int, str, int, datetime]] = field(default_factory=set)
    changes: list[tuple[tuple[int, str, str, int], datetime]] = field(default_factory=list)
    deleted: set[str] = field(default_factory=set)

    def holds(self, row: IssueEvent) -> bool:
        number, who = row.issue.number, row.actor_id
        if row.kind == Kind.COMMENTED:
            return (number, comment_of(row), who, row.at) in self.comments
        mine = (number, row.kind, row.label, who)
        return any(change == mine and is_same(at, row) for change, at in self.changes)


def shown(told: Iterable[Told], said: Iterable[Said]) -> Shown:
    """What the lists of this reading showed."""
    found = Shown()
    for one in said:
        for fact in one.facts:
            if fact.kind == Kind.COMMENTED:
                found.comments.add((one.number, fact.comment, fact.actor.id, fact.at))
            elif fact.kind == Kind.COMMENT_DELETED:
                found.deleted.add(fact.comment)
    for each in told:
        changes = (fact for fact in each.facts if fact.kind in CHANGED)
        found.changes += [((each.number, str(fact.kind), fact.label, fact.actor.id), fact.at) for fact in changes]
    return found


def comment_of(row: IssueEvent) -> str:
    return str(row.data.get("comment") or row.key.removesuffix(UNREAD))


def is_same(at: datetime, row: IssueEvent) -> bool:
    """Whether a moment of GitHub's lists is the one that a webhook told."""
    return abs(at - row.at) <= SAME_CHANGE


def denials(api: Asks, watch: Watch, there: Shown, cursors: dict[str, Any], now: datetime) -> list[Said]:
    """The facts that take back what only webhooks told and GitHub does not know; moves the cursor. Raises Unreadable.

    What is not shown and younger than SETTLED is looked for again next time.
    """
    kept = cursors.get("confirmed")
    since = datetime.fromisoformat(kept) if kept else now - FIRST
    told = IssueEvent.objects.filter(issue__watch=watch, source="webhook", kind__in=ASKED)
    fresh = told.filter(seen_at__gt=since, seen_at__lte=now).order_by("seen_at", "pk")
    with_policy = fresh.select_related("issue__policy", "issue__integration")
    unknown = [row for row in with_policy if _gains(row) and not there.holds(row)]
    old = [row for row in unknown if row.seen_at <= now - SETTLED][:AT_ONCE]
    left = [row.seen_at for row in unknown if row not in old]
    cursors["confirmed"] = (min(left) - timedelta(microseconds=1) if left else now).isoformat()
    denied = [row for row in old if not _is_known(api, watch, row, there)]
    for row in denied:
        log.warning("A webhook of %s told %s of #%s, which GitHub does not know.", watch, row.key, row.issue.number)
    return [Said(row.issue.number, (_denial(row),)) for row in denied]


def _gains(row: IssueEvent) -> bool:
    """Whether it can stop or pause a clock: of labels only those that pause; what makes an issue critical stays."""
    return row.kind != Kind.LABELED or plain(row.label) in policy_of(row.issue).pause_labels


def _denial(row: IssueEvent) -> Happening:
    """A fact of the same moment that names what it denies; its kind is the nearest that GitHub has."""
    key = f"{DENIED}:{row.key}"[:120]
    if row.kind == Kind.COMMENTED:
        return Happening(key, Kind.COMMENT_DELETED, row.at, NOBODY, data={DENIED: row.key, "comment": comment_of(row)})
    return Happening(key, CHANGED[Kind(row.kind)][0], row.at, NOBODY, label=row.label, data={DENIED: row.key})


def _is_known(api: Asks, watch: Watch, row: IssueEvent, there: Shown) -> bool:
    """Whether GitHub knows it after all, or nothing can be said: what was deleted or moved away it shows no longer."""
    if row.kind == Kind.COMMENTED and _was_deleted(row, there):
        return True
    if issues.is_gone(api, watch.repository, row.issue.number):
        return True
    if row.kind == Kind.COMMENTED:
        raw = issues.comment(api, watch.repository, int(comment_of(row).rpartition(":")[2]))
        return raw is not None and _is_that_comment(raw, row)
    raws = issues.events_of(api, watch.repository, row.issue.number)
    if len(raws) >= issues.MOST_EVENTS:
        return True
    word = CHANGED[Kind(row.kind)][1]
    mine = (raw for raw in raws if raw["event"] == word and row.label in ("", (raw.get("label") or {}).get("name")))
    return any(_is_of(raw.get("actor"), raw, row) for raw in mine)


def _was_deleted(row: IssueEvent, there: Shown) -> bool:
    comment = comment_of(row)
    gone = IssueEvent.objects.filter(issue=row.issue, kind=Kind.COMMENT_DELETED, data__comment=comment)
    return comment in there.deleted or gone.exists()


def _is_that_comment(raw: Mapping[str, Any], row: IssueEvent) -> bool:
    number = str(raw["issue_url"]).rpartition("/")[2]
    return number == str(row.issue.number) and _is_of(raw.get("user"), raw, row)


def _is_of(who: Any, raw: Mapping[str, Any], row: IssueEvent) -> bool:
    """Whether moment and person are the same; whose account is gone, GitHub calls nobody."""
    return is_same(moment(raw["created_at"]), row) and (not who or who["id"] == row.actor_id)
