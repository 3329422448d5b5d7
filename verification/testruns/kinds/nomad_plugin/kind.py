"""The Nomad plugin test as a kind of test run."""

from collections.abc import Iterator
from pathlib import Path

from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_noop

from integrations.submissions.models import Integration
from portal.core.cli import read_text_file
from portal.core.form_fields import MAX_CODE_CHARACTERS
from portal.core.repository_urls import get_product_name
from portal.core.value_types import JsonObject, NamedValues
from portal.jobs.definitions import Backoff
from verification.checks.rules.latest_test_run import NOMAD_PLUGIN_CHECK_KEY, NOMAD_PLUGIN_OBSERVATION_KEY
from verification.checks.services.runner import build_integration_sources
from verification.checks.types import build_repository_key
from verification.testruns import releases
from verification.testruns.kinds.base import build_run_subject
from verification.testruns.kinds.nomad_plugin.forms import NomadPluginTestForm, parse_config
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.rules import RULES
from verification.testruns.kinds.sandbox_kind import SandboxTestKind
from verification.testruns.models import TestRun

PLUGIN_TYPE_LABELS = {"driver": gettext_noop("task driver"), "device": gettext_noop("device plugin")}


class NomadPluginTest(SandboxTestKind[NomadPluginRecords]):
    """Calls of a released plugin as Nomad's agent makes them."""

    key = TestRun.Kind.NOMAD_PLUGIN
    rules = RULES
    form_class = NomadPluginTestForm
    check_key = NOMAD_PLUGIN_CHECK_KEY
    observation_key = NOMAD_PLUGIN_OBSERVATION_KEY
    # A plugin leaves nothing behind, so an interrupted run starts again.
    retry = Backoff(max_attempts=2)
    job = "nomad"
    records_class = NomadPluginRecords
    timeout_seconds = 180.0

    def is_supported(self, integration: Integration) -> bool:
        return bool(integration.plugin)

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        if last is not None:
            return {"version": last.version, "name": last.inputs["name"], "config": last.inputs["config"]}
        # By convention, repositories are named nomad-driver-NAME and nomad-device-NAME.
        return {"name": get_product_name(integration.repository)}

    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        run.version = inputs["version"]
        # The category decides what is tested and can change later, so the run keeps it.
        run.inputs = {"type": run.integration.plugin, "name": inputs["name"], "config": inputs["config"]}
        run.records = NomadPluginRecords.begin(self.build_target(run)).as_dict()

    def fetch_program(self, run: TestRun, folder: Path) -> Path:
        return releases.fetch_nomad_plugin(build_run_subject(run), build_integration_sources(run.integration), folder)

    def build_target(self, run: TestRun) -> NomadPluginTarget:
        config = parse_config(run.inputs["config"])
        return NomadPluginTarget(run.inputs["type"], run.inputs["name"], run.version, config)

    def parse_options(self, executable: Path, options: NamedValues) -> NomadPluginTarget:
        config = parse_config(read_text_file(options["config"], MAX_CODE_CHARACTERS))
        return NomadPluginTarget(options["type"], options["name"], options["version"], config)

    def build_observation(self, run: TestRun) -> JsonObject:
        # The integration as it was when the release was downloaded. Its repository may have changed since then.
        repository = build_repository_key(run.integration.repository, run.integration.repository_id)
        return super().build_observation(run) | {"type": run.inputs["type"], "repository": repository}

    def list_details(self, run: TestRun) -> Iterator[tuple[str, str]]:
        yield _("Version"), run.version
        yield _("Type"), capfirst(_(PLUGIN_TYPE_LABELS[run.inputs["type"]]))
        yield _("Name"), run.inputs["name"] or _("Any")
