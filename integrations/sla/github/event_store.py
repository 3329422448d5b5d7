"""How does what GitHub tells become rows? Issues and their facts, append-only, each fact once, whoever tells it.

Called in a transaction that holds the watch's row, so that two tellers of one repository never meet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from integrations.sla.engine import inputs
from integrations.sla.engine.types import Happening, Kind
from integrations.sla.github.event_mapping import UNREAD, Told
from integrations.sla.models import Issue, IssueEvent, Watch
from integrations.sla.services import policies

# A webhook gives a change the moment of the issue's last update, a list its own: they are rarely a second apart.
SAME_CHANGE = timedelta(seconds=5)
CHANGING = frozenset(
    {Kind.EDITED, Kind.LABELED, Kind.UNLABELED, Kind.CLOSED, Kind.REOPENED, Kind.LOCKED, Kind.UNLOCKED}
)
LISTED = "event:"  # how the keys of changes begin that a list told; those of a webhook begin with their kind


@dataclass(frozen=True, slots=True)
class Said:
    """Facts about comments of an issue of which the message says only the number."""

    number: int
    facts: tuple[Happening, ...]


def hold(watch: int, *, wait: bool = False) -> Watch | None:
    """The watch's row, held until the transaction ends; None while somebody else holds it, unless we wait for them."""
    assert transaction.get_connection().in_atomic_block
    free = Watch.objects.select_for_update(skip_locked=not wait, no_key=True, of=("self",))
    return free.select_related("integration__partner").filter(pk=watch).first()


def store(watch: Watch, told: Iterable[Told], source: str, now: datetime, said: Iterable[Said] = ()) -> set[int]:
    """Write down what is new. Returns the issues of which something new is known."""
    told, said = list(told), list(said)
    issues, touched = _issues(watch, told, now)
    by_number = _by_number(watch, said)
    facts: dict[int, list[Happening]] = {}
    for each in told:
        if each.github_id in issues:
            facts.setdefault(issues[each.github_id].pk, []).extend(each.facts)
    for one in said:
        if one.number in by_number:
            facts.setdefault(by_number[one.number], []).extend(one.facts)
    return touched | _write(facts, source, now)


def _issues(watch: Watch, told: list[Told], now: datetime) -> tuple[dict[int, Issue], set[int]]:
    """The rows of the issues told of, and which of them were made just now.

    An issue that was opened before the support began is not covered, and left out.
    """
    newest: dict[int, Told] = {}
    for each in told:
        if each.github_id not in newest or newest[each.github_id].updated_at <= each.updated_at:
            newest[each.github_id] = each
    found = {row.github_id: row for row in Issue.objects.filter(watch=watch, github_id__in=newest)}
    touched = set()
    for github_id, row in found.items():
        each = newest[github_id]
        if each.updated_at > row.updated_at:
            Issue.objects.filter(pk=row.pk).update(title=each.title, url=each.url, updated_at=each.updated_at)
        if each.opened_at < row.opened_at:
            Issue.objects.filter(pk=row.pk).update(opened_at=each.opened_at)
    for github_id in sorted(newest.keys() - found.keys()):
        if newest[github_id].opened_at >= watch.began_at:
            found[github_id] = _open(watch, newest[github_id])
            touched.add(found[github_id].pk)
    return found, touched


def _open(watch: Watch, told: Told) -> Issue:
    then = policies.in_force(watch.integration, told.opened_at)
    return Issue.objects.create(
        watch=watch,
        integration_id=watch.integration_id,
        calendar=then.calendar,
        policy=then.policy,
        edition=then.edition,
        github_id=told.github_id,
        number=told.number,
        title=told.title,
        url=told.url,
        author=told.author.login,
        opened_at=told.opened_at,
        updated_at=told.updated_at,
    )


def _by_number(watch: Watch, said: list[Said]) -> dict[int, int]:
    numbers = {one.number for one in said}
    found = Issue.objects.filter(watch=watch, number__in=numbers) if numbers else Issue.objects.none()
    return dict(found.values_list("number", "pk"))


def _write(facts: Mapping[int, list[Happening]], source: str, now: datetime) -> set[int]:
    """Append the facts that are new. Returns the issues that have some."""
    known: dict[int, dict[str, Happening]] = {issue: {} for issue in facts}
    for row in IssueEvent.objects.filter(issue__in=facts):
        known[row.issue_id][row.key] = inputs.happening(row)
    fresh = []
    for issue, happenings in facts.items():
        for told in happenings:
            happening = _as_listed(told, known[issue]) if source == "poll" else told
            if not _is_known(happening, known[issue]):
                known[issue][happening.key] = happening
                fresh.append(row_of(issue, happening, source, now))
    IssueEvent.objects.bulk_create(fresh, ignore_conflicts=True, batch_size=500)
    return {row.issue_id for row in fresh}


def _as_listed(new: Happening, known: Mapping[str, Happening]) -> Happening:
    """That an issue was opened before a webhook said so is another fact, and the earlier one counts."""
    first = known.get(new.key)
    return replace(new, key=f"{new.key}:listed") if new.kind is Kind.OPENED and first and new.at < first.at else new


def _is_known(new: Happening, known: Mapping[str, Happening]) -> bool:
    """Whether a fact is known: under its key, the comment's first words too, or as the other teller tells it."""
    read = new.key.removesuffix(UNREAD)
    return new.key in known or read in known or is_twin(new, known.values())


def is_twin(new: Happening, known: Iterable[Happening]) -> bool:
    """Whether a change is known already from the other teller: webhooks and lists give changes different keys.

    What only the list can tell, the commit that closed an issue, is kept beside the webhook's word.
    """
    if new.kind not in CHANGING or new.data.get("commit") or new.data.get("guessed"):
        return False
    listed, told = new.key.startswith(LISTED), [k for k in known if not k.data.get("guessed")]
    same = [k for k in told if (k.kind, k.label, k.actor.id) == (new.kind, new.label, new.actor.id)]
    near = [k for k in same if abs(k.at - new.at) <= SAME_CHANGE]
    others = sum(k.key.startswith(LISTED) != listed for k in near)
    return others > len(near) - others


def row_of(issue: int, happening: Happening, source: str, now: datetime) -> IssueEvent:
    """A fact as a row, not yet saved."""
    return IssueEvent(
        issue_id=issue,
        key=happening.key,
        kind=happening.kind,
        at=happening.at,
        seen_at=now,
        source=source,
        actor_id=happening.actor.id,
        actor=happening.actor.login,
        actor_type=happening.actor.type,
        association=happening.actor.association,
        text=happening.text,
        label=happening.label,
        data=dict(happening.data),
    )
