"""The provider acceptance test as a kind of test run."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from integrations.submissions.models import Integration, TestCredential
from integrations.submissions.services import credentials
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.core.repository_urls import get_product_name
from portal.core.value_types import JsonObject
from verification.checks.runner import build_integration_subject
from verification.releases.artifacts import file_names
from verification.sandbox import client
from verification.schemas.models import ProviderSchema
from verification.sources.factory import build_sources
from verification.testruns.kinds.base import OutputRecord, SandboxTestKind, retry_while_locked
from verification.testruns.kinds.provider_lifecycle import worker
from verification.testruns.kinds.provider_lifecycle.config import ProviderLifecycleTarget, parse_environment
from verification.testruns.kinds.provider_lifecycle.driver import build_initial_records
from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm
from verification.testruns.kinds.provider_lifecycle.records import (
    CommandRecord,
    ProviderLifecycleRecords,
    load_command,
    load_records,
)
from verification.testruns.kinds.provider_lifecycle.report import build_report
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.kinds.provider_lifecycle.scenario import list_steps
from verification.testruns.kinds.provider_schema import artifacts
from verification.testruns.models import TestRun
from verification.testruns.rule_results import RuleCatalog

TIMEOUT_SECONDS = 1800.0
READABLE_FOLDERS: tuple[Path, ...] = ()  # further folders that a provider can read: for tests with scripts
CREDENTIAL_USE_REASON = "Provider acceptance test"
CONFIGURATION_FIELDS = ("base", "changed", "refused", "partial")
STEPS_BY_RULE = {rule.key: rule.acts for rule in catalog.RULES} | {"partial": ("partial",), "left": ("cleanup",)}


class ProviderLifecycleTest(SandboxTestKind):
    """Creation, change and destruction of resources with a released provider.

    An interrupted run is not started again: it would create everything twice.
    """

    key = TestRun.Kind.PROVIDER_LIFECYCLE
    title, plural = gettext_noop("Provider acceptance test"), gettext_noop("Provider acceptance tests")
    unsupported_message = gettext_noop("Only Terraform providers have acceptance tests.")
    introduction = gettext_noop(
        "Terraform creates, changes, and destroys the resources in your configuration with your released provider. We "
        "check each step."
    )
    instructions = gettext_noop(
        "We verify your release and start the provider in a sandbox. The provider creates real resources with your "
        "credentials, so use a test account."
    )
    step_unit = gettext_noop("steps")
    output_heading, output_label = gettext_noop("Commands and output"), gettext_noop("Output")
    interruption_advice = gettext_noop("Check your test account for leftover resources.")
    rule_catalog: ClassVar[RuleCatalog] = catalog
    form_class = ProviderLifecycleTestForm
    has_secrets = True
    at_most_once = True

    def is_supported(self, integration: Integration) -> bool:
        return bool(file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]))

    def build_form(
        self, integration: Integration, data: Mapping[str, object] | None = None, last: TestRun | None = None
    ) -> forms.Form:
        accounts = integration.credentials.filter(ended_at=None).order_by("pk")
        choices = [(str(account.uuid), account.label) for account in accounts]
        initial = None if data is not None else self.get_initial_values(integration, last)
        return ProviderLifecycleTestForm(choices, data=data, initial=initial)

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        if last is not None:
            texts = {name: last.inputs[name] for name in CONFIGURATION_FIELDS}
            return texts | {"version": last.version, "hosts": " ".join(last.inputs["hosts"])}
        newest = ProviderSchema.objects.filter(integration=integration).order_by("-submitted_at").first()
        return {"version": newest.version if newest else ""}

    @sensitive_variables("inputs")
    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        run.version = inputs["version"]
        run.inputs = {name: inputs[name] for name in CONFIGURATION_FIELDS} | {
            "hosts": list(inputs["hosts"]),
            "account": inputs["account"],
            "variables": list(parse_environment(inputs["secret"])),
        }
        if inputs["secret"]:
            secret = crypto.Secret(inputs["secret"])
            run.encrypted_secrets = crypto.encrypt(secret, run.build_encryption_context())
        has_secrets = bool(inputs["secret"] or inputs["account"])
        run.records = replace(build_initial_records(_build_target(run, Path(), {})), has_secrets=has_secrets).as_dict()

    def fetch_program(self, run: TestRun, folder: Path) -> Path:
        clients = build_sources()
        subject = replace(build_integration_subject(run.integration, timezone.now()), version=run.version)
        return artifacts.fetch_executable(artifacts.verify_release(subject, clients)[1], clients, folder)

    @sensitive_variables("target", "job_input")
    def run_in_sandbox(self, run: TestRun, executable: Path) -> ProviderLifecycleRecords:
        def report_progress(progress: JsonObject) -> None:
            records = load_records(run.records).with_command(load_command(progress["ran"]))
            retry_while_locked(lambda: self.store_progress(run, records))

        target = _build_target(run, executable, _load_environment(run))
        job_input = worker.build_job_input(target, READABLE_FOLDERS, loopback=settings.ALLOW_LOOPBACK_HTTP)
        result = client.run_job(
            "lifecycle",
            job_input,
            {"provider": executable},
            service=settings.SANDBOX_SOCKET,
            seconds=TIMEOUT_SECONDS,
            report=report_progress,
        )
        return load_records(result)

    def load_records(self, run: TestRun) -> ProviderLifecycleRecords:
        return load_records(run.records)

    def build_report(self, run: TestRun) -> JsonObject:
        return {"version": run.version, **build_report(self.load_records(run))}

    def build_context(self, run: TestRun) -> JsonObject:
        records = self.load_records(run)
        steps = list_steps(has_refused=records.has_refused, has_partial=records.has_partial)
        return {
            "done": len(records.ran),
            "total": len(steps),
            "next_step": next((step.title for step in steps if records.get_command(step.key) is None), ""),
            "not_run": records.unavailable,
            "broken": records.broken,
            "outputs": [_build_output(command) for command in records.ran],
            "select_outputs": lambda result: [_build_output(each) for each in _select_commands(result, records)],
        }

    def list_details(self, run: TestRun) -> Iterator[tuple[str, str]]:
        yield _("Version"), run.version
        if run.inputs["variables"]:
            state = _("encrypted until the test run ends") if run.is_running else _("deleted")
            yield _("Credentials"), f"{', '.join(run.inputs['variables'])}: {state}"
        else:
            yield _("Credentials"), _("Saved test account") if run.inputs["account"] else _("None")
        yield _("Allowed hosts"), " ".join(run.inputs["hosts"]) or _("None")


@sensitive_variables()
def _load_environment(run: TestRun) -> dict[str, str]:
    """Return the credentials for the sandbox. Raises DecryptionError, ActionRefused and InvalidConfig."""
    text = ""
    if run.inputs["account"]:
        credential = TestCredential.objects.filter(integration=run.integration, uuid=run.inputs["account"]).first()
        if credential is None:
            message = _("This test account was replaced or withdrawn. Select another one.")
            raise ActionRefused(message, "invalid-transition")
        now = timezone.now()
        text = credentials.open_for_sandbox(credential, actor=None, reason=CREDENTIAL_USE_REASON, now=now) + "\n"
    if run.encrypted_secrets:
        text += crypto.decrypt(bytes(run.encrypted_secrets), run.build_encryption_context()).value
    return parse_environment(text)


def _build_target(run: TestRun, executable: Path, environment: dict[str, str]) -> ProviderLifecycleTarget:
    namespace, _separator, name = run.integration.repository.partition("/")
    return ProviderLifecycleTarget(
        executable,
        Path(),
        f"{namespace.lower()}/{get_product_name(name)}",
        run.version,
        hosts=tuple(run.inputs["hosts"]),
        environment=environment,
        **{name: run.inputs[name] for name in CONFIGURATION_FIELDS},
    )


def _build_output(command: CommandRecord) -> OutputRecord:
    return OutputRecord(command.title, command.line, command.text, command.state or ())


def _select_commands(result: JsonObject, records: ProviderLifecycleRecords) -> list[CommandRecord]:
    """Return the commands that show why a rule did not pass."""
    if result["rule"] == "secrets.output":
        return [command for command in records.ran if command.shown]
    commands = (records.get_command(step) for step in STEPS_BY_RULE.get(result["rule"], ())[-1:])
    return [command for command in commands if command is not None]
