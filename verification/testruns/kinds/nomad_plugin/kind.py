"""The Nomad plugin test as a kind of test run."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from portal.core.repository_urls import get_product_name
from portal.core.value_types import JsonObject
from portal.jobs.definitions import Backoff
from verification.checks.rules import nomad_plugin as check
from verification.checks.runner import build_integration_subject
from verification.sandbox import client
from verification.sources.factory import build_sources
from verification.testruns import artifacts
from verification.testruns.kinds.base import OutputRecord, SandboxTestKind, retry_while_locked
from verification.testruns.kinds.nomad_plugin import worker
from verification.testruns.kinds.nomad_plugin.config import PLUGIN_TYPE_LABELS, parse_config
from verification.testruns.kinds.nomad_plugin.driver import CALL_TITLES, NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.forms import NomadPluginTestForm
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, PluginCall, load_records
from verification.testruns.kinds.nomad_plugin.report import build_report
from verification.testruns.kinds.nomad_plugin.rules import catalog
from verification.testruns.models import TestRun
from verification.testruns.rule_results import RuleCatalog

TIMEOUT_SECONDS = 180.0
MAX_ANSWER_CHARACTERS = 20_000  # of a response that the page shows
READABLE_FOLDERS: tuple[Path, ...] = ()  # further folders that a plugin can read: for tests, whose plugins are scripts
STEPS_BY_RULE = {rule.key: rule.acts[:1] for rule in catalog.RULES}
PLUGIN_TYPE_BY_CALL = {"task_schema": "driver", "capabilities": "driver", "reserve": "device", "stats": "device"}


class NomadPluginTest(SandboxTestKind):
    """Calls of a released plugin as Nomad's agent makes them."""

    key = TestRun.Kind.NOMAD_PLUGIN
    title, plural = gettext_noop("Nomad plugin test"), gettext_noop("Nomad plugin tests")
    unsupported_message = gettext_noop("Only task drivers and device plugins for Nomad have test runs.")
    introduction = gettext_noop(
        "We call your released plugin as Nomad's agent does, and check the response against each rule."
    )
    instructions = gettext_noop(
        "We download the Linux plugin from the GitHub release and start it in a sandbox without a network. We "
        "configure and call the plugin, but run no task and use no device."
    )
    step_unit = gettext_noop("calls")
    output_heading, output_label = gettext_noop("Calls and responses"), gettext_noop("Response")
    rule_catalog: ClassVar[RuleCatalog] = catalog
    form_class = NomadPluginTestForm
    check_key, observation_key = check.CHECK_KEY, check.OBSERVATION_KEY
    retry = Backoff(max_attempts=2)  # a plugin leaves nothing behind, so an interrupted run starts again
    safe_errors = (*SandboxTestKind.safe_errors, client.SandboxProtocolError)

    def is_supported(self, integration: Integration) -> bool:
        return bool(integration.plugin)

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        if last is not None:
            return {"version": last.version, "name": last.inputs["name"], "config": last.inputs["config"]}
        return {"name": get_product_name(integration.repository)}

    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        run.version = inputs["version"]
        run.inputs = {"type": run.integration.plugin, "name": inputs["name"], "config": inputs["config"]}
        run.records = NomadPluginRecords(_build_target(run, Path()).claims).as_dict()

    def fetch_program(self, run: TestRun, folder: Path) -> Path:
        subject = replace(build_integration_subject(run.integration, timezone.now()), version=run.version)
        return artifacts.fetch_executable(subject, build_sources(), folder)

    def run_in_sandbox(self, run: TestRun, executable: Path) -> NomadPluginRecords:
        result = client.run_job(
            "nomad",
            worker.build_job_input(_build_target(run, executable)),
            {"plugin": executable},
            service=settings.SANDBOX_SOCKET,
            seconds=TIMEOUT_SECONDS,
            report=lambda progress: retry_while_locked(
                lambda: self.store_progress(run, load_records(progress["seen"]))
            ),
        )
        return load_records(result)

    def load_records(self, run: TestRun) -> NomadPluginRecords:
        return load_records(run.records)

    def build_report(self, run: TestRun) -> JsonObject:
        return {"version": run.version, **build_report(self.load_records(run))}

    def build_observation(self, run: TestRun) -> JsonObject:
        return super().build_observation(run) | {"type": run.inputs["type"]}

    def build_context(self, run: TestRun) -> JsonObject:
        records = self.load_records(run)
        plugin_type = records.claims["type"]
        calls = [name for name in CALL_TITLES if PLUGIN_TYPE_BY_CALL.get(name, plugin_type) == plugin_type]
        outputs = {call.act: _build_output(call) for call in records.asked}
        return {
            "done": len(outputs),
            "total": len(calls),
            "next_step": next((CALL_TITLES[name] for name in calls if name not in outputs), ""),
            "not_run": records.unavailable,
            "broken": records.broken,
            "outputs": list(outputs.values()),
            "select_outputs": lambda result: [
                outputs[name] for name in STEPS_BY_RULE.get(result["rule"], ()) if name in outputs
            ],
        }

    def list_details(self, run: TestRun) -> Iterator[tuple[str, str]]:
        yield _("Version"), run.version
        yield _("Type"), _(PLUGIN_TYPE_LABELS[run.inputs["type"]]).capitalize()
        yield _("Name"), run.inputs["name"] or _("Any")


def _build_target(run: TestRun, executable: Path) -> NomadPluginTarget:
    """Return the target. Raises InvalidConfig, which the form has ruled out."""
    config = parse_config(run.inputs["config"])
    return NomadPluginTarget(executable, run.inputs["type"], run.inputs["name"], run.version, config, READABLE_FOLDERS)


def _build_output(call: PluginCall) -> OutputRecord:
    output = call.data.get("said")
    text = output if output is not None else json.dumps(call.data, indent=2, ensure_ascii=False) if call.data else ""
    ending = _("answered") if call.is_answered else call.sentence or call.came
    line = _("%(end)s after %(seconds)s s") % {"end": ending.rstrip("."), "seconds": f"{call.seconds:.1f}"}
    return OutputRecord(call.title, line, str(text)[:MAX_ANSWER_CHARACTERS] or _("Nothing."))
