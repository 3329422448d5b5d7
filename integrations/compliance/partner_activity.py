"""What did the partner do since the standing began, and how far do we know it? What the due process rests on.

Each thing that the partner does holds the process once: one answer an issue, one release, one finding. So that
nothing stops it forever by doing the same again, and nothing that was done goes unseen.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from integrations.compliance import evidence
from integrations.sla.engine import inputs
from integrations.sla.engine.participants import Side, cast_of
from integrations.sla.engine.projection import in_order
from integrations.sla.engine.types import Kind
from integrations.sla.models import Breach, Issue, Watch
from integrations.sla.services.policies import policy_of
from integrations.submissions.models import Integration
from integrations.submissions.workflow import evidence as due_process
from integrations.submissions.workflow.evidence import Act, Known
from integrations.submissions.workflow.states import Standing
from verification.checks.models import Observation
from verification.checks.rules.release_history import NEWEST
from verification.checks.runner import FROZEN

FOREVER = datetime.max.replace(tzinfo=UTC)
ANSWERS = (Kind.COMMENTED, Kind.CLOSED)
LOOKED_AT = ("go_on", "dismiss_appeal")  # a person saw what was there and had the period run on


def known(row: Integration, now: datetime) -> Known:
    """What speaks for the partner and was not looked at, and how far what we know reaches."""
    watch = Watch.objects.filter(integration=row, ended_at=None).first()
    held = Observation.objects.filter(integration=row, key=FROZEN).values_list("value", flat=True).first() or ""
    frozen = str(held) if row.hold and row.hold_reason == str(held)[:500] else ""
    return Known(tuple(unseen(row)), watch.data_up_to if watch else None, frozen)


def unseen(row: Integration) -> list[Act]:
    """What the partner did that nobody has looked at; nothing where no notice was given."""
    if row.standing not in (Standing.NOTICE, Standing.SUSPENDED) or row.standing_since is None:
        return []
    looks = row.events.filter(verb__in=LOOKED_AT, at__gte=row.standing_since)
    seen = {act["key"] for look in looks for act in look.data.get("evidence", {}).get("acts", ())}
    return [act for act in acts(row, row.standing_since) if act.key not in seen]


def acts(row: Integration, since: datetime) -> list[Act]:
    """Everything since a moment that speaks for the partner, in its order."""
    found = (*_on_issues(row, since), *_releases(row, since), *_findings(row, since))
    return sorted(found, key=lambda act: (act.at, act.key))


def _on_issues(row: Integration, since: datetime) -> Iterator[Act]:
    """An answer or a solution on a late issue, and breaches that never were."""
    mine = Breach.objects.filter(integration=row)
    for breach in mine.filter(retracted_at__gt=since).select_related("issue__watch"):
        said = f"A breach of {breach.issue} was retracted"
        yield Act(f"retracted:{breach.pk}", breach.retracted_at or since, said, breach.issue.url)
    late = Issue.objects.filter(pk__in=mine.filter(retracted_at=None).values("issue"))
    for issue in late.select_related("watch", "policy", "integration").prefetch_related(inputs.WITH_EVENTS):
        at = answered(issue, since)
        if at is not None:
            yield Act(f"issue:{issue.uuid}", at, f"{row.partner.name} answered on {issue}", issue.url)


def answered(issue: Issue, since: datetime) -> datetime | None:
    """When somebody of the partner first said or settled something on an issue after a moment."""
    facts = in_order(inputs.happenings(issue), FOREVER)
    opened = next((fact for fact in facts if fact.kind == Kind.OPENED), None)
    if opened is None:
        return None
    cast = cast_of(facts, opened, policy_of(issue))
    told = [f.at for f in facts if f.at > since and f.kind in ANSWERS and cast.side(f.actor) == Side.PARTNER]
    return min(told, default=None)


def _releases(row: Integration, since: datetime) -> Iterator[Act]:
    for newest in Observation.objects.filter(integration=row, key=NEWEST, since__gt=since):
        yield Act("release", newest.since, f"A new release was seen: {newest.value}")


def _findings(row: Integration, since: datetime) -> Iterator[Act]:
    for finding in row.findings.filter(fixed_at__gt=since):
        yield Act(f"finding:{finding.pk}", finding.fixed_at or since, f"Finding {finding.number} was answered")
    for event in row.events.filter(verb="check_passed", at__gt=since):
        name = event.data.get("requirement", "")
        yield Act(f"check:{name}", event.at, f"“{event.data.get('title', name)}” is in order again")


def connect() -> None:
    """Called once when the app is ready."""
    due_process.appoint(known, lambda row, now: evidence.pack(row, now, acts))
