"""How is a requirement answered, waived, or looked at by a machine?"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions as rules
from integrations.partners.models import Partner
from integrations.programs.schema import Requirement, Scope, Who
from integrations.submissions.models import Draft, Integration, RequirementState
from integrations.submissions.selectors import context
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import changing, refresh
from integrations.submissions.services.transitions import lock as lock_row
from integrations.submissions.workflow.states import ENDS, Holder, Status
from portal.audit.services import record
from portal.core.errors import NotAllowed

FOUND = frozenset({Status.PASS, Status.WARN, Status.FAIL, Status.NOT_RUN})
ANSWERING: dict[Who, Callable[[Integration, Any], bool]] = {
    Who.PARTNER: rules.may_edit,
    Who.PROGRAM: rules.may_decide,
    Who.BOTH: rules.may_meet,
    Who.MACHINE: rules.nobody,
}

OTHER = {Holder.PARTNER: Holder.PROGRAM, Holder.PROGRAM: Holder.PARTNER}


def requirement_of(integration: Integration, requirement_id: str) -> Requirement:
    """The requirement, of the path or of a tier. Raises NotAllowed where the edition has none of that id."""
    found = integration.edition.requirement(requirement_id)
    if found is None:
        raise NotAllowed(_("This edition of the program has no such requirement."), "gone")
    return found


def state_for(integration: Integration, requirement_id: str) -> RequirementState:
    """The requirement's row, made where nothing happened to it yet. Call with the integration locked."""
    state, _ = RequirementState.objects.get_or_create(integration=integration, requirement_id=requirement_id)
    return state


def refuse_when_ended(integration: Integration) -> None:
    if integration.stage in ENDS:
        raise NotAllowed(
            _("This integration is %(stage)s: nothing can be handed in any more.") % {"stage": integration.stage},
            "gone",
        )


def side_of(integration: Integration, user: Any) -> Holder:
    """For whom a person acts where both sides have a part."""
    return Holder.PROGRAM if user is not None and rules.may_decide(integration, user) else Holder.PARTNER


@contextmanager
def handing_in(integration: Integration, requirement_id: str, *, by: Any) -> Iterator[tuple[Integration, Requirement]]:
    """The locked row and its requirement, for something that is kept beside the answer; end with answer().

    Raises NotAllowed where this person has no part in the requirement, or the integration has ended.
    """
    with transaction.atomic():
        requirement = requirement_of(integration, requirement_id)
        _lock_company(integration, requirement)
        row = lock_row(integration.pk)
        rule = ANSWERING[requirement.who]
        if by is not None and not rule(row, by):
            raise NotAllowed(rules.refusal(rule.__name__), "may")
        refuse_when_ended(row)
        yield row, requirement


def _lock_company(integration: Integration, requirement: Requirement) -> None:
    """What is shared by all of a company's integrations is written by one at a time, else two wait for each other."""
    if requirement.scope == Scope.PARTNER:
        Partner.objects.select_for_update(no_key=True).get(pk=integration.partner_id)


@transaction.atomic
def answer(
    integration: Integration,
    requirement_id: str,
    data: Mapping[str, Any],
    *,
    by: Any,
    now: datetime,
    status: Status = Status.GIVEN,
    summary: str = "",
    verb: str = "answered",
    rule: Any = rules.may_edit,
    version: int | None = None,
    note: str = "",
    told: Mapping[str, Any] | None = None,
) -> RequirementState:
    """Give a requirement its answer: form fields, an attestation, or the status of a two-sided one.

    `note` and `told` are what the event says besides. What the company gives once is written to all of its open
    integrations in the program. Raises NotAllowed; with kind "stale" where `version` is older than the answer.
    """
    _lock_company(integration, requirement_of(integration, requirement_id))
    with changing(integration, rule, by=by, now=now) as row:
        refuse_when_ended(row)
        requirement = requirement_of(row, requirement_id)
        state = state_for(row, requirement_id)
        if version is not None and state.version != version:
            raise NotAllowed(
                _("%(who)s changed this answer meanwhile.") % {"who": state.given_by or _("Somebody")}, "stale"
            )
        _write(state, data, status, summary, by, now)
        Draft.objects.filter(integration=row, requirement_id=requirement_id, sent_at=None).update(sent_at=now)
        said = {"requirement": requirement_id, "title": requirement.title, "status": str(status), **(told or {})}
        record(row, verb, by=by, now=now, note=note, **said)
        if requirement.scope == Scope.PARTNER:
            _share(row, requirement, state, by, now)
    return state


def _write(
    state: RequirementState, data: Mapping[str, Any], status: Status, summary: str, by: Any, now: datetime
) -> None:
    state.data, state.status, state.summary = dict(data), status, summary
    state.given_by, state.given_at = by, now
    state.version += 1
    state.save()


def _share(row: Integration, requirement: Requirement, given: RequirementState, by: Any, now: datetime) -> None:
    """Write what the company gives once to its other open integrations that ask for the same."""
    others = row.partner.integrations.open().exclude(pk=row.pk)
    for other in others:
        for twin in other.edition.requirements():
            same = twin.agreement == requirement.agreement if requirement.agreement else twin.id == requirement.id
            same_program = bool(requirement.agreement) or other.program_key == row.program_key
            if same and same_program and twin.scope == Scope.PARTNER:
                locked = lock_row(other.pk)
                state = state_for(locked, twin.id)
                _write(state, given.data, Status(given.status), given.summary, by, now)
                record(
                    locked, "answered", by=by, now=now, requirement=twin.id, title=twin.title, shared_from=str(row.uuid)
                )
                refresh(locked, now)
                locked.save()


def not_needed(integration: Integration, requirement_id: str, *, by: Any, now: datetime) -> RequirementState:
    """Say that an optional requirement ("only if needed") is not needed."""
    if not requirement_of(integration, requirement_id).optional:
        raise NotAllowed(_("This requirement is needed."))
    return answer(integration, requirement_id, {}, by=by, now=now, status=Status.NOT_NEEDED, verb="not_needed")


def waive(
    integration: Integration, requirement_id: str, *, reason: str, until: datetime, by: Any, now: datetime
) -> RequirementState:
    """Let a requirement count as met until a moment, for a reason that the partner and the listing show."""
    if not reason.strip():
        raise NotAllowed(_("Say why: the reason is shown with the waiver."))
    if until <= now:
        raise NotAllowed(_("A waiver needs an end in the future."))
    with changing(integration, rules.may_decide, by=by, now=now) as row:
        refuse_when_ended(row)
        requirement = requirement_of(row, requirement_id)
        state = state_for(row, requirement_id)
        state.waived_by, state.waiver_reason, state.waived_until = by, reason.strip()[:500], until
        state.save()
        record(
            row, "waived", by=by, now=now, note=reason, requirement=requirement_id, title=requirement.title,
            until=until.isoformat(),
        )  # fmt: skip
    return state


def end_waiver(integration: Integration, requirement_id: str, *, reason: str, by: Any, now: datetime) -> None:
    """Take a waiver back before its end, for a reason that the partner is told."""
    if not reason.strip():
        raise NotAllowed(_("Say why: the company relied on the waiver."))
    with changing(integration, rules.may_decide, by=by, now=now) as row:
        requirement = requirement_of(row, requirement_id)
        state = state_for(row, requirement_id)
        until = state.waived_until
        if until is None or not state.is_waived(now):
            raise NotAllowed(_("There is no waiver that still counts."), "gone")
        state.waived_until = now
        state.save()
        refresh(row, now)  # the mail says whose turn it is without the waiver
        record(
            row, "waiver_ended", by=by, now=now, note=reason.strip()[:500], requirement=requirement_id,
            title=requirement.title, until=until.isoformat(),
        )  # fmt: skip


def record_checks(
    integration: Integration,
    requirement_id: str,
    *,
    outcome: str,
    summary: str,
    detail: list[dict[str, Any]],
    retry_at: datetime | None,
    now: datetime,
    fresh_until: datetime | None = None,
) -> None:
    """Write down what the machine found for one requirement. An event only where the outcome changed.

    An outage of ours changes nothing that was found before: the last finding stays, with when we try again, and
    grows old. In a listed integration a failure opens a finding, and what passes again settles it.
    """
    with changing(integration, rules.may_see, by=None, now=now) as row:
        requirement = requirement_of(row, requirement_id)
        state = state_for(row, requirement_id)
        was = state.status
        state.retry_at = retry_at
        if outcome != Status.ERROR or was not in FOUND:
            state.status, state.summary, state.detail = Status(outcome), summary[:500], detail
            state.given_at, state.fresh_until = now, fresh_until
        state.save()
        verb, told = _turned(row, state, summary, now)
        if was != state.status or told:
            record(
                row, verb, by=None, now=now, note=summary, requirement=requirement_id, title=requirement.title,
                outcome=str(state.status), was=was, **told,
            )  # fmt: skip
        else:
            row.version -= 1  # nobody's page is out of date because a machine found the same again


def _is_broken(row: Integration, requirement_id: str, now: datetime) -> bool:
    """Whether what a listed integration stands on is missing: the path's requirements and its tier's, no hints."""
    context.forget(row)
    tier = row.edition.tier(row.tier)
    missing = [*context.missing_next(row, now), *(context.missing_for_tier(row, tier, now) if tier else ())]
    return requirement_id in {requirement.id for requirement in missing}


def _turned(row: Integration, state: RequirementState, summary: str, now: datetime) -> tuple[str, dict[str, Any]]:
    """The event's verb and what it tells besides, once a listed integration's requirement has turned."""
    if row.is_listed and state.status == Status.FAIL and _is_broken(row, state.requirement_id, now):
        finding = findings.open_by_machine(row, state.requirement_id, summary, now=now)
        if finding is not None and finding.due_at is not None:
            return "check_failed", {
                "finding": finding.number, "due": finding.due_at.isoformat(),
                "due_day": f"{finding.due_at:%a} {finding.due_at.day} {finding.due_at:%b}",
            }  # fmt: skip
    if state.status in (Status.PASS, Status.WARN):
        finding = findings.settle_by_machine(row, state.requirement_id, now=now)
        if finding is not None:
            return "check_passed", {"finding": finding.number}
    return "checked", {}
