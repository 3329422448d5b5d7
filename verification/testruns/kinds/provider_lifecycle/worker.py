"""Sandbox worker for provider acceptance tests."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from portal.core.value_types import JsonObject
from verification.sandbox.egress_proxy import EgressRules
from verification.sandbox.environment import open_environment
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.provider_lifecycle.config import ProviderLifecycleTarget, find_config_problem
from verification.testruns.kinds.provider_lifecycle.driver import ProviderLifecycleTestRunner, build_initial_records
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.workspace import (
    LIMITS,
    build_files,
    find_terraform,
    open_local_workspace,
)

NO_TERRAFORM_MESSAGE = "Not run: this worker has no Terraform."
TEXT_FIELDS = ("source", "version", "base", "changed", "refused", "partial")
ProgressCallback = Callable[[dict[str, object]], None]


def build_job_input(
    target: ProviderLifecycleTarget, readable: tuple[Path, ...] = (), *, loopback: bool = False
) -> JsonObject:
    """Return the input of the sandbox job. It contains credentials and must not be stored."""
    job_input: JsonObject = {name: getattr(target, name) for name in TEXT_FIELDS}
    job_input |= {"hosts": list(target.hosts), "environment": dict(target.environment), "loopback": loopback}
    return job_input | {"readable": [str(path) for path in readable]}


def parse_job_input(job_input: JsonObject, executable: Path, terraform: Path) -> ProviderLifecycleTarget:
    """Return the target described by build_job_input, with the executables of this worker."""
    texts = {name: str(job_input[name]) for name in TEXT_FIELDS}
    return ProviderLifecycleTarget(
        executable, terraform, hosts=tuple(job_input["hosts"]), environment=dict(job_input["environment"]), **texts
    )


def run_job(job_input: JsonObject, files: Mapping[str, Path], report_progress: ProgressCallback) -> JsonObject:
    """Run the test and return redacted records. `report_progress` receives {"ran": …} after each step."""
    readable = tuple(Path(path) for path in job_input["readable"])
    terraform = find_terraform()
    target = parse_job_input(job_input, files["provider"], terraform or Path())
    if terraform is None:
        return build_not_run_records(target, NO_TERRAFORM_MESSAGE).as_dict()
    return run_in_sandbox(
        target, lambda records: report_progress({"ran": asdict(records.ran[-1])}), readable, job_input["loopback"]
    ).as_dict()


def run_in_sandbox(
    target: ProviderLifecycleTarget,
    report_progress: Callable[[ProviderLifecycleRecords], None],
    readable: tuple[Path, ...] = (),
    loopback: bool = False,
) -> ProviderLifecycleRecords:
    """Run the test in a sandbox. Without one, the records say why it did not run. Raises ValueError."""
    _validate_target(target)
    try:
        egress = EgressRules(target.hosts, allow_loopback=loopback) if target.hosts else None
        with open_environment(
            LIMITS, files=build_files(target), readable=readable, egress=egress, is_strict=False
        ) as environment:
            return ProviderLifecycleTestRunner(target, environment, report_progress=report_progress).run()
    except SandboxUnavailable as error:
        return build_not_run_records(target, f"Not run: {str(error)[:1].lower()}{str(error)[1:]}")


def run_unsandboxed(
    target: ProviderLifecycleTarget,
    report_progress: Callable[[ProviderLifecycleRecords], None],
    only_steps: Collection[str] = (),
) -> ProviderLifecycleRecords:
    """Run the test on this machine without a sandbox, for developers of the provider. Raises ValueError."""
    _validate_target(target)
    with open_local_workspace(target) as (workspace, folder_path):
        return ProviderLifecycleTestRunner(target, workspace, folder_path, report_progress).run(only_steps)


def _validate_target(target: ProviderLifecycleTarget) -> None:
    problem = find_config_problem(target)
    if problem:
        raise ValueError(problem)


def build_not_run_records(target: ProviderLifecycleTarget, reason: str) -> ProviderLifecycleRecords:
    """Return the records of a test that could not run."""
    return replace(build_initial_records(target), unavailable=reason, over=True)
