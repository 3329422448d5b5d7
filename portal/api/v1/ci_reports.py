"""What becomes of results that a partner's CI reports? Kept as theirs; the portal looks itself at a sample.

Which reports are looked at follows from integration, commit and version alone, so that sending again changes nothing;
a secret of the portal goes in, so that nobody can choose a commit that is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import findings
from integrations.submissions.services.requirements import refuse_when_ended
from integrations.submissions.services.transitions import changing
from portal.audit.services import record
from portal.core.errors import NotAllowed
from verification.checks.models import CheckReport, CheckResult
from verification.checks.runner import checked, keys_of
from verification.checks.services import runs
from verification.outcomes import Outcome, worst

ONE_IN = 10
WAITS = timedelta(days=30)  # for the portal's own answer, after which a report stays one that was never compared
GOOD = frozenset({Outcome.PASS, Outcome.WARN, Outcome.WAIVED})
SETTLED = frozenset({*GOOD, Outcome.FAIL})


@dataclass(frozen=True, slots=True)
class Said:
    """A report as it came. `checks`: as the preflight prints them."""

    commit: str
    version: str
    program: str
    repository: str
    checks: Sequence[dict[str, Any]]


def report(integration: Integration, said: Said, *, by: Any, now: datetime) -> CheckReport:
    """Keep it, and have the portal look where it is sampled. Raises NotAllowed."""
    with changing(integration, permissions.may_edit, by=by, now=now) as row:
        refuse_when_ended(row)
        _refuse_another(row, said)
        why = why_sampled(row, said, now)
        told = [each for each in said.checks if not each.get("hint")] or said.checks
        kept = CheckReport.objects.create(
            integration=row, reported_by=str(by)[:150], commit=said.commit, version=said.version, at=now,
            outcome=str(worst(Outcome(each["outcome"]) for each in told)), results=list(said.checks), sampled=why,
        )  # fmt: skip
        row.version -= 1  # a report makes nobody's page out of date
        record(row, "checks_reported", by=by, now=now, commit=said.commit[:12], outcome=kept.outcome, sampled=why)
    if why:
        runs.enqueue(integration, by, now, f"CI reported {said.commit[:12]}")
    return kept


def _refuse_another(row: Integration, said: Said) -> None:
    """A report about something else was sent to the wrong place."""
    if said.program and said.program != row.program_key:
        raise NotAllowed(f"The report is about the program {said.program}, this integration is in {row.program_key}.")
    if said.repository and said.repository.lower() != row.repository.lower():
        raise NotAllowed(
            f"The report is about {said.repository}, this integration is {row.repository or 'no repository'}."
        )


def why_sampled(row: Integration, said: Said, now: datetime) -> str:
    """Why the portal looks itself; blank where it does not."""
    if decides(row, said, now):
        return "it decides a requirement"
    asked = f"{row.uuid}:{said.commit}:{said.version}"
    number = int(salted_hmac("portal.api.sample", asked, algorithm="sha256").hexdigest()[:8], 16)
    return f"one in {ONE_IN}, by lot" if number % ONE_IN == 0 else ""


def decides(row: Integration, said: Said, now: datetime) -> bool:
    """Whether it says that something is in order which is not in order here."""
    states = context.states_of(row)
    waits = {key for r in checked(row) if r.id not in states or not states[r.id].is_met(now) for key in r.checks}
    return any(each["outcome"] in GOOD and each["id"] in waits for each in said.checks)


def compare_due(now: datetime | None = None, limit: int = 100) -> int:
    """Compare what was reported with what the portal found since. Returns how many reports were compared."""
    now = now or timezone.now()
    waiting = CheckReport.objects.filter(compared_at=None, at__gt=now - WAITS).exclude(sampled="").order_by("pk")
    return sum(compare(each, now) for each in waiting.select_related("integration")[:limit])


def compare(report: CheckReport, now: datetime) -> bool:
    """Compare one, once the portal has looked since it came. Returns whether it had."""
    found = seen_since(report)
    if found is None:
        return False
    differing = disagreements(report, found)
    with transaction.atomic():
        mine = CheckReport.objects.filter(pk=report.pk, compared_at=None)
        if not mine.update(compared_at=now, disagreements=differing):
            return True
        if differing:
            _open_finding(report, differing, now)
    return True


def seen_since(report: CheckReport) -> dict[str, CheckResult] | None:
    """The portal's results, once each that was reported was looked at since; None while any is out.

    Where the portal could not look, it has not looked: a report outlasts an outage of ours.
    """
    here = set(keys_of(checked(report.integration)))
    wanted = {each["id"] for each in report.results} & here
    newest = {row.key: row for row in CheckResult.objects.filter(integration=report.integration).newest()}
    late = [key for key in wanted if not _looked(newest.get(key), report.at)]
    return None if late else {key: newest[key] for key in wanted}


def _looked(row: CheckResult | None, since: datetime) -> bool:
    return row is not None and row.last_seen >= since and row.outcome != Outcome.ERROR


def disagreements(report: CheckReport, found: dict[str, CheckResult]) -> list[dict[str, str]]:
    """Where both said something and one said good, the other bad. An outage of ours speaks against nobody."""
    return [
        {"id": each["id"], "reported": each["outcome"], "found": found[each["id"]].outcome,
         "summary": found[each["id"]].summary}
        for each in report.results
        if each["id"] in found
        and {each["outcome"], found[each["id"]].outcome} <= SETTLED
        and (each["outcome"] in GOOD) != (found[each["id"]].outcome in GOOD)
    ]  # fmt: skip


def _open_finding(report: CheckReport, differing: list[dict[str, str]], now: datetime) -> None:
    """One finding on the first requirement concerned, and one line in the history."""
    keys = [each["id"] for each in differing]
    requirement = next(r for r in checked(report.integration) if set(r.checks) & set(keys))
    lines = [
        f"{each['id']}: reported {each['reported']}, found {each['found']}. {each['summary']}" for each in differing
    ]
    text = f"CI reported otherwise than the portal found for {report.commit[:12]}:\n" + "\n".join(lines)
    with changing(report.integration, permissions.only_machine, by=None, now=now) as row:
        findings.open_by_machine(row, requirement.id, text, now=now)
        record(
            row, "checks_disagree", by=None, now=now, note=text, requirement=requirement.id, title=requirement.title,
            commit=report.commit[:12],
        )  # fmt: skip
