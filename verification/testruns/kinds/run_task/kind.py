"""The run task test as a kind of test run.

The job is rescheduled while it waits for results, so a test that takes an hour occupies no worker.
"""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from integrations.submissions.models import Integration
from portal.core import crypto
from portal.core.value_types import JsonObject
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, Reschedule
from verification import sources
from verification.checks.rules import run_task as check
from verification.checks.runner import list_checked_requirements, list_required_check_keys
from verification.testruns.kinds.base import ProgramFetcher, TestKind, retry_while_locked
from verification.testruns.kinds.run_task import callback_service, rules
from verification.testruns.kinds.run_task.callback_store import (
    build_scenarios,
    build_target,
    build_urls,
    compute_ages,
    load_records,
)
from verification.testruns.kinds.run_task.driver import (
    RunTaskTarget,
    generate_result_id,
    is_hopeless,
    list_awaited_runs,
    send_request,
)
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.forms import RunTaskTestForm
from verification.testruns.kinds.run_task.protocol import STAGES
from verification.testruns.kinds.run_task.records import RunTaskRecords, serialize_record
from verification.testruns.kinds.run_task.report import build_report
from verification.testruns.kinds.run_task.scenario import RequestStep
from verification.testruns.models import RunTaskRequest, TestRun
from verification.testruns.rule_results import RuleCatalog

SLICE_SECONDS = 40.0  # after which other jobs run
RESULT_WAIT_SECONDS = 4.0  # that a slice waits for results, because most arrive immediately
POLL_SECONDS = 0.2
RESUME_DELAY = timedelta(seconds=5)


class RunTaskTest(TestKind):
    """Requests to an endpoint as HCP Terraform sends them. Requests and callbacks have their own tables."""

    key = TestRun.Kind.RUN_TASK
    title, plural = gettext_noop("Run task test"), gettext_noop("Run task tests")
    unsupported_message = gettext_noop("Only run tasks have this test.")
    introduction = gettext_noop(
        "We call your endpoint as HCP Terraform does, receive its results, and check them against each rule."
    )
    instructions = gettext_noop(
        "Your endpoint receives a verification request and requests that it must reject. For each stage, it also "
        "receives a run that should pass and a run that should fail. The test doesn't affect a real organization."
    )
    step_unit = gettext_noop("requests")
    rule_catalog: ClassVar[RuleCatalog] = rules
    form_class = RunTaskTestForm
    has_secrets = True
    check_key, observation_key = check.CHECK_KEY, check.OBSERVATION_KEY
    queue, resource = "checks", ""
    retry = Backoff(first=RESUME_DELAY)
    can_cancel = True

    def is_supported(self, integration: Integration) -> bool:
        return check.CHECK_KEY in list_required_check_keys(list_checked_requirements(integration))

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        if last is not None:
            return {"url": last.inputs["url"], "stages": last.inputs["stages"]}
        answers = [fulfillment.data for fulfillment in integration.fulfillments_by_id.values()]
        url = next((data["endpoint"] for data in answers if data.get("endpoint")), "")
        stages: list[str] = next((data["stages"] for data in answers if isinstance(data.get("stages"), list)), [])
        return {"url": url, "stages": [stage for stage in stages if stage in STAGES]}

    @sensitive_variables("inputs")
    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        run.inputs = {
            "url": inputs["url"],
            "stages": list(inputs["stages"]),
            "scenarios": build_scenarios(inputs),
            "is_signed": bool(inputs["key"]),
        }
        if inputs["key"]:
            run.encrypted_secrets = crypto.encrypt(crypto.Secret(inputs["key"]), run.build_encryption_context())

    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> Reschedule | None:
        """Send the remaining requests and collect results until the test run is finished."""
        try:
            secrets = bytes(run.encrypted_secrets)
            key = crypto.decrypt(secrets, run.build_encryption_context()).value if secrets else ""
        except crypto.DecryptionError:  # the encryption key was replaced, so the partner must enter the HMAC key again
            self.abandon(run, "")
            return None
        target, deadline = build_target(run, key), time.monotonic() + SLICE_SECONDS
        return self._wait_for_results(run, deadline) if self._send_requests(run, target, deadline) else Reschedule()

    def abandon(self, run: TestRun, message: str) -> None:
        self.finish(run, load_records(run, over=True))

    def _send_requests(self, run: TestRun, target: RunTaskTarget, deadline: float) -> bool:
        """Send the remaining requests. Return whether all were sent, or no more are needed."""
        run.requests.filter(exchange={}).delete()  # its process died; the platform would send it again, too
        completed_steps = set(run.requests.values_list("act", flat=True))
        for step in target.script():
            if step.key in completed_steps:
                continue
            if time.monotonic() > deadline:
                return False
            if not retry_while_locked(lambda: _is_open(run)):
                return True  # canceled meanwhile
            if self._send_request(run, step, target):
                return True
        return True

    def _send_request(self, run: TestRun, step: RequestStep, target: RunTaskTarget) -> bool:
        """Send one request and store it. Return whether further ones are pointless."""
        token, result_id = callback_service.generate_token(), generate_result_id()
        request = RunTaskRequest(
            test_run=run, act=step.key, token_hash=callback_service.hash_token(token), sent_at=timezone.now()
        )
        retry_while_locked(request.save)
        exchange = send_request(step, target, build_urls(request), token, result_id, sources.build_outbound_client())
        request.exchange = serialize_record(exchange)
        retry_while_locked(lambda: request.save(update_fields=["exchange"]))
        retry_while_locked(lambda: self.store_progress(run, load_records(run)))
        return is_hopeless(exchange)

    def _wait_for_results(self, run: TestRun, deadline: float) -> Reschedule | None:
        """Wait briefly for results. Then finish, or return when to continue."""
        deadline = min(deadline, time.monotonic() + RESULT_WAIT_SECONDS)
        settles_at = parse_datetime(run.records.get("settles_at") or "")
        while True:
            now, records = timezone.now(), retry_while_locked(lambda: load_records(run))
            ages = retry_while_locked(lambda: compute_ages(run.requests.all(), timezone.now()))
            awaited_runs = list_awaited_runs(records, ages)
            if not awaited_runs and settles_at is None:
                settles_at = now + timedelta(seconds=records.limits.settle_seconds)
            if not awaited_runs and settles_at is not None and now >= settles_at:
                self.finish(run, retry_while_locked(lambda: load_records(run, over=True)))
                return None
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
        run.records = {"settles_at": settles_at.isoformat() if settles_at else ""}
        retry_while_locked(lambda: self.store_progress(run, records))
        return Reschedule(timezone.now() + RESUME_DELAY) if retry_while_locked(lambda: _is_open(run)) else None

    def store_progress(self, run: TestRun, records: RunTaskRecords) -> None:
        """Store the results so far. If the run was canceled meanwhile, late exchanges count, too."""
        if _is_open(run):
            super().store_progress(run, records)
            return
        run.refresh_from_db(fields=["finished_at"])
        self.reevaluate(run)

    def reevaluate(self, run: TestRun) -> None:
        """Evaluate a finished run again, because something arrived after its end."""
        run.results, run.outcome = self.evaluate(run, load_records(run, over=True))
        TestRun.objects.filter(pk=run.pk).update(results=run.results, outcome=run.outcome)
        self.report_to_check(run)

    def load_records(self, run: TestRun) -> RunTaskRecords:
        return load_records(run, over=not run.is_running)

    def serialize_records(self, run: TestRun, records: RunTaskRecords) -> JsonObject:
        return dict(run.records)

    def build_report(self, run: TestRun) -> JsonObject:
        return {"stages": run.inputs["stages"], **build_report(self.load_records(run), run.inputs["url"])}

    def build_observation(self, run: TestRun) -> JsonObject:
        return super().build_observation(run) | {"url": run.inputs["url"], "stages": run.inputs["stages"]}

    def build_context(self, run: TestRun) -> JsonObject:
        records = self.load_records(run)
        return {
            "done": len(records.exchanges),
            "total": len(build_target(run, "key" if run.inputs["is_signed"] else "").script()),
            "effects": build_effects(records),
            "exchanges": [(each, records.list_callbacks(each.act)) for each in records.exchanges],
        }

    def list_details(self, run: TestRun) -> Iterator[tuple[str, str]]:
        yield _("Endpoint"), run.inputs["url"]
        if not run.inputs["is_signed"]:
            yield _("Requests"), _("Unsigned")
        elif run.is_running:
            yield _("Requests"), _("Signed. We keep the key encrypted until the test run ends.")
        else:
            yield _("Requests"), _("Signed. We deleted the key.")


def _is_open(run: TestRun) -> bool:
    return TestRun.objects.open().filter(pk=run.pk).exists()
