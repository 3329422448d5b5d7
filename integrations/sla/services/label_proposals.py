"""How are an integration's labels to be read? The partner proposes, the program accepts or declines; dated, kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from integrations.partners import permissions
from integrations.sla.engine.severity import plain
from integrations.sla.models import IssueEvent, SupportPolicy
from integrations.sla.services.policies import CRITICAL_LABELS, PAUSE_LABELS
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import changing
from portal.audit.models import Event
from portal.audit.services import record
from portal.core.errors import NotAllowed
from verification.sources.errors import NotFound, Unreadable
from verification.sources.factory import github

REPLACED = "Replaced by a newer proposal."


@dataclass(frozen=True, slots=True)
class LabelMap:
    """What is proposed. Labels in lower case; `team`, `bots`: {numeric GitHub id: login}.

    `second_accounts`: {numeric id: the same person's first account}; `logins`: what everybody named in it is called.
    """

    critical: tuple[str, ...]
    pause: tuple[str, ...]
    team: Mapping[int, str]
    bots: Mapping[int, str] = field(default_factory=dict)
    second_accounts: Mapping[int, int] = field(default_factory=dict)
    logins: Mapping[int, str] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[str, ...]:
        """The second accounts as the form takes them: "second = first"."""
        named = self.logins
        return tuple(f"{named.get(a, a)} = {named.get(b, b)}" for a, b in self.second_accounts.items())

    @property
    def names(self) -> dict[str, str]:
        """{number as text: login} of everybody whom it names."""
        everybody = {**self.logins, **self.bots, **self.team}
        return {str(number): login for number, login in sorted(everybody.items())}


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Each label once, as policies write it."""
    return tuple(sorted({plain(label) for label in labels} - {""}))


def propose(integration: Integration, proposed: LabelMap, *, by: Any, now: datetime) -> SupportPolicy:
    """Propose a map; one that still waits is replaced. Raises NotAllowed."""
    with changing(integration, permissions.may_edit, by=by, now=now) as row:
        waiting = row.support_policies.filter(state=SupportPolicy.State.PROPOSED)
        waiting.update(state=SupportPolicy.State.DECLINED, decided_at=now, note=REPLACED)
        policy = SupportPolicy.objects.create(
            integration=row,
            critical_labels=list(proposed.critical),
            pause_labels=list(proposed.pause),
            team=sorted(proposed.team),
            bots=sorted(proposed.bots),
            second_accounts={str(second): first for second, first in sorted(proposed.second_accounts.items())},
            proposed_by=by,
            proposed_at=now,
        )
        names = proposed.names
        record(row, "labels_proposed", by=by, now=now, note=said(proposed), policy=policy.pk, team=names)
        return policy


def decide(policy: SupportPolicy, *, accept: bool, note: str, by: Any, now: datetime) -> SupportPolicy:
    """Accept it for issues opened from now on, or decline it. Raises NotAllowed."""
    with changing(policy.integration, permissions.may_decide, by=by, now=now) as row:
        kept = SupportPolicy.objects.select_for_update().get(pk=policy.pk)
        if kept.state != SupportPolicy.State.PROPOSED:
            raise NotAllowed("This proposal is not waiting any more.", "stale")
        kept.state = SupportPolicy.State.ACCEPTED if accept else SupportPolicy.State.DECLINED
        kept.decided_by, kept.decided_at, kept.note = by, now, note[:500]
        kept.valid_from = now if accept else None
        kept.save()
        verb = "labels_accepted" if accept else "labels_declined"
        record(row, verb, by=by, now=now, note=note, policy=kept.pk)
        return kept


def in_force(integration: Integration, now: datetime) -> SupportPolicy | None:
    """The map that counts for an issue opened now; None: the defaults."""
    accepted = integration.support_policies.filter(state=SupportPolicy.State.ACCEPTED, valid_from__lte=now)
    return accepted.order_by("valid_from", "pk").last()


def map_of(policy: SupportPolicy | None) -> LabelMap:
    """A policy, or the defaults, as a map."""
    if policy is None:
        return LabelMap(in_order(CRITICAL_LABELS), in_order(PAUSE_LABELS), {})
    told = Event.objects.filter(integration_id=policy.integration_id, verb="labels_proposed", data__policy=policy.pk)
    event = told.first()
    names = event.data.get("team", {}) if event else {}  # what the accounts were called when it was proposed
    seconds = {int(second): first for second, first in policy.second_accounts.items()}
    return LabelMap(
        in_order(policy.critical_labels), in_order(policy.pause_labels), _called(policy.team, names),
        _called(policy.bots, names), seconds, _called([*seconds, *seconds.values()], names),
    )  # fmt: skip


def _called(numbers: Iterable[int], names: Mapping[str, str]) -> dict[int, str]:
    return {number: str(names.get(str(number), number)) for number in numbers}


@dataclass(frozen=True, slots=True)
class Compared:
    """One part of two maps beside each other. Each side: (what it holds, is it only there)."""

    title: str
    was: tuple[tuple[str, bool], ...]
    will: tuple[tuple[str, bool], ...]
    blank: str

    @property
    def differs(self) -> bool:
        return any(alone for _each, alone in (*self.was, *self.will))


def parts(of: LabelMap) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """A map part by part: its title, what it holds, what it means when that is nothing.

    For the history and the mails as it stands; pages translate the words.
    """
    return (
        (_("Critical"), of.critical, _("none")),
        (_("Pause"), of.pause, _("none")),
        (_("Team"), tuple(of.team.values()), _("whom GitHub calls owner, member or collaborator")),
        (_("Machines"), tuple(of.bots.values()), _("those that GitHub calls so or whose name says it")),
        (_("Second accounts"), of.pairs, _("none")),
    )


def compared(was: LabelMap, will: LabelMap) -> list[Compared]:
    """Two maps, part by part."""
    return [
        Compared(title, _alone(old, new), _alone(new, old), blank)
        for (title, old, blank), (_title, new, _blank) in zip(parts(was), parts(will), strict=True)
    ]


def _alone(these: tuple[str, ...], others: tuple[str, ...]) -> tuple[tuple[str, bool], ...]:
    return tuple((each, each not in others) for each in these)


def said(of: LabelMap) -> str:
    """A map in words, for the history and the mails."""
    return "\n".join(f"{title}: {', '.join(held) or blank}" for title, held, blank in parts(of))


def account(integration: Integration, login: str) -> int:
    """The number of a GitHub account: of somebody we have read of, else as GitHub says. Raises NotAllowed."""
    known = IssueEvent.objects.filter(issue__integration=integration, actor__iexact=login, actor_id__gt=0)
    if (number := known.values_list("actor_id", flat=True).first()) is not None:
        return int(number)
    api = github()
    try:
        return api.user(login)
    except NotFound:
        raise NotAllowed(gettext("GitHub knows nobody called “%(login)s”.") % {"login": login}) from None
    except Unreadable:
        raise NotAllowed(
            gettext("We could not ask GitHub about “%(login)s” just now. Try again in some minutes.") % {"login": login}
        ) from None
    finally:
        api.close()
