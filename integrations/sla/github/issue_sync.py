"""What has changed in a repository since we last read it? Asks GitHub, writes nothing.

One question where nothing changed. Where something did: whether it is still that repository, then its comments and
events, so that what no webhook told, or a webhook told wrongly, is known all the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from integrations.sla.engine.types import Happening, Kind
from integrations.sla.github import event_verification
from integrations.sla.github.event_mapping import (
    NOBODY,
    UNREAD,
    Told,
    Untellable,
    body_of,
    comment_facts,
    comment_key,
    deletion,
    from_event,
    from_issue,
    moment,
    rewritten,
)
from integrations.sla.github.event_store import Said
from integrations.sla.models import Issue, IssueEvent, Watch
from verification.sources.errors import Unavailable, Unreadable
from verification.sources.github import issues
from verification.sources.github.issues import Asks

FULLY_EVERY = timedelta(days=1)
PRIVATE = (
    "The repository is private, so the portal does not read its issues and records no SLA breach. "
    "Make the repository public to resume monitoring"
)
SETTLED = timedelta(minutes=1)  # so long after its last change, nothing more of that second is to come


class AnotherRepository(Unreadable):
    """The name now belongs to another repository."""


class PrivateRepository(Unreadable):
    """The public can't see the repository; the portal's own credential may."""


@dataclass(slots=True)
class Changes:
    """What was found, and where to go on next time. `whole`: every list was read, not only the first."""

    told: list[Told] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    cursors: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    number: int | None = None
    whole: bool = False


def read(api: Asks, watch: Watch, now: datetime) -> Changes:
    """Everything that changed since the watch's cursors. Raises Unreadable; then nothing may be taken as read."""
    found = Changes(cursors=dict(watch.cursors), name=watch.repository, number=watch.repository_id)
    due = watch.cursors.get("full_at")
    fully = due is None or datetime.fromisoformat(due) + FULLY_EVERY <= now
    try:
        # The company gave us no credential, and ours may see more than the public: ask before anything else is read.
        # An anonymous client sees public repositories only, and each answer counts against its small limit.
        if api.has_credential:
            _identity(api, watch, found)
        changed = _issues(api, watch, found, now)
        if changed or fully:
            if not api.has_credential:
                _identity(api, watch, found)
            _comments(api, watch, found)
            _events(api, watch, found, now)
            found.whole = True
            there = event_verification.shown(found.told, found.said)
            found.said += event_verification.denials(api, watch, there, found.cursors, now)
        if fully:
            _gone(api, watch, found, now)
            found.cursors["full_at"] = now.isoformat()
    except (Untellable, KeyError, TypeError, ValueError) as error:
        raise Unavailable(f"GitHub described {watch.repository} in a way that we do not understand.") from error
    return found


def _issues(api: Asks, watch: Watch, found: Changes, now: datetime) -> bool:
    """The issues that changed. Returns whether any did: the list begins with the last change that we know."""
    since, known = _since(watch, "issues"), set(watch.cursors.get("last", ()))
    raws = [r for page in issues.changed(api, watch.repository, "issues", since, state="all") for r in page]
    if not raws:
        return False
    newest = max(moment(raw["updated_at"]) for raw in raws)
    last = [int(raw["id"]) for raw in raws if moment(raw["updated_at"]) == newest]
    same = newest == since and set(last) <= known and bool(watch.cursors.get("settled"))
    found.told += _with_rewritten(watch, [told for raw in raws if (told := from_issue(raw))])
    highest = max(int(raw["number"]) for raw in raws)
    found.cursors |= {
        "issues": newest.isoformat(),
        "last": last,
        "settled": now - newest > SETTLED,
        "number": max(highest, watch.cursors.get("number", 0)),
    }
    return not same


def _with_rewritten(watch: Watch, listed: list[Told]) -> Iterable[Told]:
    """The issues of a list, each whose body is not the one that we know with the fact that it was edited.

    No list of GitHub's tells that a body was edited: a webhook that was lost leaves no other trace.
    """
    kinds, ids = (Kind.OPENED, Kind.EDITED), [told.github_id for told in listed]
    rows = IssueEvent.objects.filter(issue__watch=watch, issue__github_id__in=ids, kind__in=kinds).order_by("at", "pk")
    known: dict[int, str] = {}
    for github_id, kind, text, data in rows.values_list("issue__github_id", "kind", "text", "data"):
        if kind == Kind.OPENED or data.get("body"):
            known[github_id] = text
    for told in listed:
        same = known.get(told.github_id, body_of(told)) == body_of(told)
        yield told if same else replace(told, facts=(*told.facts, rewritten(told)))


def _identity(api: Asks, watch: Watch, found: Changes) -> None:
    """Note the repository's number and name; one that was renamed is the same one.

    Raises:
        AnotherRepository: The name was given to another repository.
        PrivateRepository: The repository is not public.
    """
    identity = issues.identity(api, watch.repository)
    if identity is None:
        return
    if identity.is_private:
        raise PrivateRepository(PRIVATE)
    found.number, found.name = identity.number, identity.name
    if watch.repository_id is not None and found.number != watch.repository_id:
        raise AnotherRepository(f"The name {watch.repository} now belongs to another repository.")


def _comments(api: Asks, watch: Watch, found: Changes) -> None:
    """What was said and edited. What belongs to an issue newer than our list of issues is read again next time."""
    reached, highest = _since(watch, "comments"), found.cursors.get("number", 0)
    unknown: list[datetime] = []
    for page in issues.changed(api, watch.repository, "issues/comments", reached):
        for raw in page:
            number, at = int(str(raw["issue_url"]).rpartition("/")[2]), moment(raw["updated_at"])
            found.said.append(Said(number, comment_facts(raw)))
            reached = max(reached, at)
            if number > highest:
                unknown.append(at)
    found.cursors["comments"] = min([reached, *unknown]).isoformat()


def _events(api: Asks, watch: Watch, found: Changes, now: datetime) -> None:
    last = int(watch.cursors.get("event", 0))
    raws = issues.events_after(api, watch.repository, last, watch.began_at)
    found.told += [told for raw in raws if (told := from_event(raw))]
    for raw in raws:
        if raw["event"] == "comment_deleted" and raw.get("issue"):
            _deleted(api, watch, found, raw)
    if raws:
        found.cursors["event"] = int(raws[-1]["id"])


def _deleted(api: Asks, watch: Watch, found: Changes, raw: Mapping[str, Any]) -> None:
    """The event does not say which comment was deleted: it is what we know of and is there no longer."""
    number = int(raw["issue"]["number"])
    comments = IssueEvent.objects.filter(issue__watch=watch, issue__number=number, kind=Kind.COMMENTED)
    known = {key.removesuffix(UNREAD) for key in comments.values_list("key", flat=True)}
    there = {comment_key(one) for one in issues.comment_numbers(api, watch.repository, number)}
    facts = tuple(deletion(key, raw) for key in sorted(known - there))
    found.said.append(Said(number, facts))


def _gone(api: Asks, watch: Watch, found: Changes, now: datetime) -> None:
    """Issues that were deleted or moved away stand in no list of changes: they are missing among the open ones."""
    mine = Issue.objects.filter(watch=watch, is_open=True).values_list("number", flat=True)
    just_told = {told.number for told in found.told}
    missing = set(mine) - issues.open_numbers(api, watch.repository) - just_told
    for number in sorted(missing):
        if issues.is_gone(api, watch.repository, number):
            found.said.append(Said(number, (Happening("deleted", Kind.DELETED, now, NOBODY),)))


def _since(watch: Watch, name: str) -> datetime:
    kept = watch.cursors.get(name)
    return datetime.fromisoformat(kept) if kept else watch.began_at
