"""The run task test as a kind of test run.

The job is rescheduled while it waits for results, so a test that takes an hour occupies no worker.
"""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.submissions.models import Integration
from portal.core import crypto
from portal.core.value_types import JsonObject, NamedValues
from portal.jobs.definitions import Backoff, JobContext, Reschedule
from verification import sources
from verification.checks.execution import list_required_check_keys
from verification.checks.rules.latest_test_run import RUN_TASK_CHECK_KEY, RUN_TASK_OBSERVATION_KEY
from verification.checks.services.runner import list_checked_requirements
from verification.outcomes import get_exit_code
from verification.testruns.kinds.base import CommandOutput, ProgramFetcher, TestKind, retry_while_locked
from verification.testruns.kinds.run_task import cli
from verification.testruns.kinds.run_task.database_store import DatabaseStore
from verification.testruns.kinds.run_task.driver import send_requests, wait_for_results
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.forms import RunTaskTestForm
from verification.testruns.kinds.run_task.protocol import SCENARIOS, STAGES
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords
from verification.testruns.kinds.run_task.rules import RULES
from verification.testruns.models import TestRun
from verification.testruns.rules import render_report

SLICE_SECONDS = 40.0  # after which other jobs run
RESULT_WAIT_SECONDS = 4.0  # that a slice waits for results, because most arrive immediately
RESUME_DELAY = timedelta(seconds=5)
UNREADABLE_KEY_MESSAGE = "We can no longer decrypt the HMAC key. Enter it again in a new test run."


class RunTaskTest(TestKind):
    """Requests to an endpoint as HCP Terraform sends them. Requests and callbacks have their own tables."""

    key = TestRun.Kind.RUN_TASK
    rules = RULES
    form_class = RunTaskTestForm
    has_secrets = True
    check_key = RUN_TASK_CHECK_KEY
    observation_key = RUN_TASK_OBSERVATION_KEY
    queue = "checks"
    resource = ""
    retry = Backoff(first=RESUME_DELAY)
    can_cancel = True

    def is_supported(self, integration: Integration) -> bool:
        return self.check_key in list_required_check_keys(list_checked_requirements(integration))

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        answers = [fulfillment.data for fulfillment in integration.fulfillments_by_id.values()]
        url = next((data["endpoint"] for data in answers if data.get("endpoint")), "")
        selected: list[str] = next((data["stages"] for data in answers if isinstance(data.get("stages"), list)), [])
        stages = [stage for stage in selected if stage in STAGES]
        if last is not None:
            # A test run of another endpoint, or without a stage of the answer, doesn't count.
            return {"url": url or last.inputs["url"], "stages": stages or last.inputs["stages"]}
        return {"url": url, "stages": stages}

    @sensitive_variables("inputs")
    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        overrides = {
            scenario: {name: value for name in ("workspace", "plan") if (value := inputs[f"{scenario}_{name}"])}
            for scenario in SCENARIOS
        }
        run.inputs = {
            "url": inputs["url"],
            "stages": list(inputs["stages"]),
            "scenarios": overrides,
            "is_signed": bool(inputs["key"]),
        }
        if inputs["key"]:
            run.encrypt("encrypted_secrets", crypto.Secret(inputs["key"]))

    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> Reschedule | None:
        """Send the remaining requests and collect results until the test run is finished."""
        try:
            key = run.decrypt("encrypted_secrets").value if run.encrypted_secrets else ""
        except crypto.DecryptionError:  # the encryption key was replaced, so the partner must enter the HMAC key again
            self.abandon(run, UNREADABLE_KEY_MESSAGE)
            return None
        store = DatabaseStore(run, key)
        deadline = time.monotonic() + SLICE_SECONDS
        run.requests.filter(exchange={}).delete()  # its process died; the platform would send it again, too

        def report_progress(_exchange: Exchange) -> None:
            self.store_progress(run, store.load_records())
            if context is not None:
                context.renew_lease()  # ends the job if the test run was canceled

        if not send_requests(store, sources.build_outbound_client(), report_progress, deadline):
            return Reschedule()
        deadline = min(deadline, time.monotonic() + RESULT_WAIT_SECONDS)
        # Each slice is an execution of its own, so the moment is kept in the row between slices.
        settles_at = wait_for_results(store, deadline, parse_datetime(run.records.get("settles_at") or ""))
        if settles_at is not None and timezone.now() >= settles_at:
            self.abandon(run, "")
            return None
        run.records = {"settles_at": settles_at.isoformat() if settles_at else ""}
        self.store_progress(run, store.load_records())
        return Reschedule(timezone.now() + RESUME_DELAY) if store.is_open() else None

    @retry_while_locked
    @transaction.atomic
    def abandon(self, run: TestRun, message: str) -> None:
        """Finish a run. A callback that waits for the lock is then evaluated as one that arrived after the end."""
        _lock(run)
        run.records = run.records | {"broken": message}
        self.finish(run, DatabaseStore(run).load_records(is_complete=True))

    def store_progress(self, run: TestRun, records: RunTaskRecords) -> bool:
        """Store the results so far. If the run was canceled meanwhile, late exchanges count, too."""
        # Only the update can tell: a cancellation that isn't committed yet holds the row.
        is_open = super().store_progress(run, records)
        if not is_open:
            self.reevaluate(run)
        return is_open

    @retry_while_locked
    @transaction.atomic
    def reevaluate(self, run: TestRun) -> None:
        """Evaluate a finished run again, because something arrived after its end."""
        _lock(run)
        run.refresh_from_db(fields=["finished_at"])
        run.results, run.outcome = self.evaluate(run, DatabaseStore(run).load_records(is_complete=True))
        # After a concurrent cancellation, this object still has the key, and save() would store the deleted key again.
        TestRun.objects.filter(pk=run.pk).update(results=run.results, outcome=run.outcome)
        self.report_to_check(run)

    def load_records(self, run: TestRun) -> RunTaskRecords:
        return DatabaseStore(run).load_records(is_complete=not run.is_running)

    def serialize_records(self, run: TestRun, records: RunTaskRecords) -> JsonObject:
        return dict(run.records)

    def build_report(self, run: TestRun) -> JsonObject:
        return super().build_report(run) | {"url": run.inputs["url"], "stages": run.inputs["stages"]}

    def describe_records(self, records: RunTaskRecords) -> JsonObject:
        return super().describe_records(records) | {"effects": [each._asdict() for each in build_effects(records)]}

    def build_observation(self, run: TestRun) -> JsonObject:
        return super().build_observation(run) | {"url": run.inputs["url"], "stages": run.inputs["stages"]}

    def build_context(self, run: TestRun) -> JsonObject:
        store = DatabaseStore(run, "key" if run.inputs["is_signed"] else "")
        records = self.load_records(run)
        return {
            "done": len(records.exchanges),
            "total": len(store.target.list_steps()),
            "broken": run.records.get("broken", ""),
            "effects": build_effects(records),
            "exchanges": [(each, records.list_callbacks(each.key)) for each in records.exchanges],
        }

    def list_details(self, run: TestRun) -> Iterator[tuple[str, str]]:
        yield _("Endpoint"), run.inputs["url"]
        if not run.inputs["is_signed"]:
            yield _("Requests"), _("Unsigned")
        elif run.is_running:
            yield _("Requests"), _("Signed. We keep the key encrypted until the test run ends.")
        else:
            yield _("Requests"), _("Signed. We deleted the key.")

    def run_command(self, options: NamedValues, report_progress: Callable[[str], None]) -> CommandOutput:
        url = options["url"]
        records = cli.run(options, report_progress)
        report = {"url": url, **self.describe_records(records)}
        text = render_report(f"Run task test of {url}", report, cli.list_details(records))
        return CommandOutput(report, text, get_exit_code(report["outcome"]))


RUN_TASK = RunTaskTest()


def _lock(run: TestRun) -> None:
    """Lock a run until the end of the transaction, so that no callback is stored meanwhile."""
    TestRun.objects.select_for_update().filter(pk=run.pk).first()
