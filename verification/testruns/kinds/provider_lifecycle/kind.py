"""The provider acceptance test as a kind of test run."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.models import Integration, TestCredential
from integrations.submissions.services import credentials
from portal.accounts.models import User
from portal.core import crypto
from portal.core.cli import read_text_file
from portal.core.errors import ActionRefused
from portal.core.repository_urls import get_product_name
from portal.core.value_types import JsonObject, NamedValues
from verification.checks.services.runner import build_integration_sources
from verification.schemas.models import ProviderSchema
from verification.schemas.services import has_provider
from verification.testruns import releases
from verification.testruns.kinds.base import build_run_subject
from verification.testruns.kinds.provider_lifecycle import config
from verification.testruns.kinds.provider_lifecycle.driver import TIMEOUT_SECONDS, UnsandboxedTestRunner
from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm
from verification.testruns.kinds.provider_lifecycle.records import (
    CLEANUP,
    ProviderLifecycleRecords,
    ProviderLifecycleTarget,
)
from verification.testruns.kinds.provider_lifecycle.rules import RULES
from verification.testruns.kinds.sandbox_kind import SandboxTestKind
from verification.testruns.models import TestRun
from verification.testruns.records import StepRecord
from verification.testruns.terraform_cli import parse_executable_name

CREDENTIAL_USE_REASON = "Provider acceptance test"
MAX_FILE_CHARACTERS = 1_000_000


class ProviderLifecycleTest(SandboxTestKind[ProviderLifecycleRecords]):
    """Creation, change, and destruction of resources with a released provider.

    An interrupted run is not started again: it would create everything twice.
    """

    key = TestRun.Kind.PROVIDER_LIFECYCLE
    rules = RULES
    form_class = ProviderLifecycleTestForm
    has_secrets = True
    at_most_once = True
    job = "lifecycle"
    records_class = ProviderLifecycleRecords
    timeout_seconds = TIMEOUT_SECONDS
    unsandboxed_runner = UnsandboxedTestRunner

    def is_supported(self, integration: Integration) -> bool:
        return has_provider(integration)

    def get_form_options(self, integration: Integration) -> JsonObject:
        accounts = integration.credentials.filter(ended_at=None).order_by("pk")
        return {"accounts": [(str(account.uuid), account.label) for account in accounts]}

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        if last is not None:
            texts = {name: last.inputs[name] for name in config.CONFIGURATION_FIELDS}
            return texts | {"version": last.version, "hosts": " ".join(last.inputs["hosts"])}
        schemas = ProviderSchema.objects.filter(integration=integration).order_by("-submitted_at")
        return {"version": schemas.values_list("version", flat=True).first() or ""}

    @sensitive_variables("inputs")
    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        """Set the inputs, secrets, and initial records. Raises ActionRefused for someone else's test account."""
        # The configuration and the hosts decide where the provider sends the credentials.
        if inputs["account"] and not _can_use_accounts(run.integration, run.requested_by):
            message = _("Only owners, editors, and the assigned reviewer can use a saved test account.")
            raise ActionRefused(message, "forbidden")
        run.version = inputs["version"]
        run.inputs = {name: inputs[name] for name in config.CONFIGURATION_FIELDS} | {
            "hosts": list(config.parse_hosts(inputs["hosts"])),
            "account": inputs["account"],
            # Only the names: the page shows them after the values are deleted.
            "variables": list(config.parse_environment(inputs["secret"])),
        }
        if inputs["secret"]:
            run.encrypt("encrypted_secrets", crypto.Secret(inputs["secret"]))
        has_secrets = bool(inputs["secret"] or inputs["account"])
        # The values stay out of what is stored in plain text.
        run.records = ProviderLifecycleRecords.begin(_build_target(run, {}), has_secrets=has_secrets).as_dict()

    def fetch_program(self, run: TestRun, folder: Path) -> Path:
        clients = build_integration_sources(run.integration)
        return releases.fetch_provider(releases.verify_provider(build_run_subject(run), clients)[1], clients, folder)

    @sensitive_variables()
    def build_target(self, run: TestRun) -> ProviderLifecycleTarget:
        environment = _load_environment(run)
        # A saved test account is opened only here, so the form couldn't compare its values with the configurations.
        if problem := config.find_config_problem(run.inputs, environment):
            raise ValueError(problem)
        return _build_target(run, environment)

    def select_outputs(self, records: ProviderLifecycleRecords, rule_key: str) -> list[StepRecord]:
        if rule_key == "secrets.output":
            return [step for step in records.steps if step.exposed]
        if rule_key == "left":
            return [step for step in records.steps if step.key == CLEANUP.key]
        return super().select_outputs(records, rule_key)

    def list_details(self, run: TestRun) -> Iterator[tuple[str, str]]:
        yield _("Version"), run.version
        if run.inputs["variables"]:
            state = _("encrypted until the test run ends") if run.is_running else _("deleted")
            yield _("Credentials"), f"{', '.join(run.inputs['variables'])}: {state}"
        else:
            yield _("Credentials"), _("Saved test account") if run.inputs["account"] else _("None")
        yield _("Allowed hosts"), " ".join(run.inputs["hosts"]) or _("None")

    def parse_options(self, executable: Path, options: NamedValues) -> ProviderLifecycleTarget:
        name, version = parse_executable_name(executable)
        if not version:
            raise ValueError("Name the executable terraform-provider-NAME_v1.2.3.")
        source = options["source"] or f"{name}/{name}"
        if source.count("/") != 1 or source.rpartition("/")[2] != name:
            raise ValueError(f"Enter the source as NAMESPACE/{name}, like the executable's name.")
        options = options | {"base": options["config"]}
        texts = {key: read_text_file(options[key], MAX_FILE_CHARACTERS) for key in config.CONFIGURATION_FIELDS}
        environment = config.parse_environment(read_text_file(options["env_file"], MAX_FILE_CHARACTERS))
        if problem := config.find_config_problem(texts, environment):
            raise ValueError(problem)
        hosts = config.parse_hosts(options["hosts"])
        return ProviderLifecycleTarget(source, version, **texts, hosts=hosts, environment=environment)


def _can_use_accounts(integration: Integration, user: User | None) -> bool:
    """Return whether the user can test with the saved test accounts of an integration."""
    return permissions.can_edit(integration, user) or permissions.can_open_credentials(integration, user)


@sensitive_variables()
def _load_environment(run: TestRun) -> dict[str, str]:
    """Return the credentials for the sandbox. Raises DecryptionError, ActionRefused, and ValueError."""
    text = ""
    if run.inputs["account"]:
        credential = TestCredential.objects.filter(integration=run.integration, uuid=run.inputs["account"]).first()
        if credential is None:
            message = _("This test account was replaced or withdrawn. Select another one.")
            raise ActionRefused(message, "invalid-transition")
        now = timezone.now()
        account = credentials.open_for_sandbox(credential, actor=None, reason=CREDENTIAL_USE_REASON, now=now)
        # Reviewers sign in with the same account, so it can also contain notes for them.
        text = config.select_assignments(account) + "\n"
    if run.encrypted_secrets:
        # The last line with a name counts, so what was entered replaces what the account contains.
        text += run.decrypt("encrypted_secrets").value
    return config.parse_environment(text)


def _build_target(run: TestRun, environment: Mapping[str, str]) -> ProviderLifecycleTarget:
    namespace, _separator, name = run.integration.repository.partition("/")
    return ProviderLifecycleTarget(
        # Source addresses are in lowercase in the registry, whatever the spelling of the GitHub account is.
        f"{namespace.lower()}/{get_product_name(name)}",
        run.version,
        hosts=tuple(run.inputs["hosts"]),
        environment=environment,
        **{name: run.inputs[name] for name in config.CONFIGURATION_FIELDS},
    )
