"""Command line of the provider schema inspection."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from portal.core.cli import build_usage_error
from portal.core.value_types import NamedValues
from verification.checks.rules import provider_schema as checks
from verification.checks.types import Subject
from verification.outcomes import Outcome
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.cli import (
    CommandOutput,
    ProgressCallback,
    add_readable_argument,
    check_executable,
    resolve_folders,
)
from verification.testruns.kinds.provider_schema import summary
from verification.testruns.kinds.provider_schema.reader import build_target
from verification.testruns.kinds.provider_schema.worker import READ_METHODS

HELP = "Start a provider in the sandbox and read its schema, directly and through Terraform."
RULES = (
    checks.check_schema_read,
    checks.check_name_prefix,
    checks.check_descriptions,
    checks.check_deprecations,
    checks.check_sensitive_attributes,
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("executable", type=Path)
    parser.add_argument(
        "--via",
        choices=READ_METHODS,
        default="both",
        help="How to read the schema. Default: both ways, if Terraform is installed.",
    )
    parser.add_argument("--source", default="", metavar="NAMESPACE/NAME", help="Default: from the file name.")
    parser.add_argument("--as-version", default="", metavar="VERSION", help="Default: from the file name.")
    add_readable_argument(parser)


def run(options: NamedValues, report_progress: ProgressCallback) -> CommandOutput:
    executable = options["executable"]
    check_executable(executable)
    try:
        target = build_target(executable, options["source"], options["as_version"])
        job_input = {
            "source": target.source,
            "version": target.version,
            "via": options["via"],
            "readable": [str(folder) for folder in resolve_folders(options["readable"])],
        }
        answer = client.run_job("schema", job_input, {"provider": executable}, service=settings.SANDBOX_SOCKET)
    except (ValueError, client.SandboxProtocolError) as error:
        raise build_usage_error(error) from error
    except SandboxUnavailable as error:
        return _build_not_run_output(str(error))
    observation = summary.build_observation(answer, target.version, timezone.now().isoformat())
    if not observation["readings"]:
        return _build_not_run_output("Terraform isn't installed.")
    is_readable = all(one["read"] for one in observation["readings"]) and not observation["differences"]
    document = {"source": target.source, **observation, "schema": answer["schema"]}
    return CommandOutput(document, "\n".join(_format_lines(target.source, observation)), 0 if is_readable else 1)


def _build_not_run_output(reason: str) -> CommandOutput:
    return CommandOutput({"not_run": reason}, f"Not run: {reason}", 2)


def _format_lines(source: str, observation: Mapping[str, object]) -> list[str]:
    """Return the result of each rule with its evidence."""
    subject = Subject("", "", "", "", known={checks.OBSERVATION_KEY: observation})
    lines = [f"{source} {observation['version']}"]
    for rule in RULES:
        result = rule(subject, None)  # type: ignore[arg-type]
        lines.append(f"{result.outcome.upper():8} {result.summary}")
        if result.outcome != Outcome.PASS or rule is checks.check_schema_read:
            lines += [f"         {evidence.label}: {evidence.value}" for evidence in result.evidence[:5]]
    return lines
