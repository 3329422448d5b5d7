"""Command that reads the schema of a local provider executable in the sandbox."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.core.cli import build_usage_error
from verification.checks.rules import provider_schema as checks
from verification.checks.types import Subject
from verification.outcomes import Outcome
from verification.sandbox import client
from verification.sandbox.client import SandboxProtocolError
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.provider_schema import summary
from verification.testruns.kinds.provider_schema.reader import build_target
from verification.testruns.kinds.provider_schema.worker import READ_METHODS

RULES = (
    checks.check_schema_read,
    checks.check_name_prefix,
    checks.check_descriptions,
    checks.check_deprecations,
    checks.check_sensitive_attributes,
)


class Command(BaseCommand):
    help = (
        "Start a provider's executable in the sandbox and read its schema, directly and through Terraform. Exit "
        "codes: 0 the schema was read, 1 the provider failed, 2 not run. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("executable", type=Path)
        parser.add_argument(
            "--via",
            choices=READ_METHODS,
            default="both",
            help="How to read the schema. Default: both ways, if Terraform is installed.",
        )
        parser.add_argument("--source", default="", metavar="NAMESPACE/NAME", help="else after the file's own name")
        parser.add_argument("--as-version", default="", metavar="VERSION", help="else after the file's own name")
        parser.add_argument("--readable", type=Path, action="append", default=[], metavar="FOLDER",
                            help="A folder that the provider can read, for providers that are scripts.")  # fmt: skip
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="Print everything as JSON, including the schema."
        )

    def handle(self, *, executable: Path, as_json: bool, **options: Any) -> None:  # type: ignore[override]
        if not executable.is_file():
            raise build_usage_error(f"{executable} isn't a file.")
        try:
            target = build_target(executable, options["source"], options["as_version"])
            job_input = {
                "source": target.source, "version": target.version, "via": options["via"],
                "readable": [str(path.resolve()) for path in options["readable"]],
            }  # fmt: skip
            answer = client.run_job("schema", job_input, {"provider": executable}, service=settings.SANDBOX_SOCKET)
        except (ValueError, SandboxProtocolError) as error:
            raise build_usage_error(error) from error
        except SandboxUnavailable as reason:
            self._exit_with({"not_run": str(reason)} if as_json else f"Not run. {reason}", 2)
        observation = summary.build_observation(answer, target.version, timezone.now().isoformat())
        is_readable = all(one["read"] for one in observation["readings"]) and not observation["differences"]
        if not observation["readings"]:
            self._exit_with(
                {"not_run": "no terraform on this worker"} if as_json else "Not run: Terraform isn't installed.", 2
            )
        document = {"source": target.source, **observation, "schema": answer["schema"]}
        self._exit_with(document if as_json else format_lines(target.source, observation), 0 if is_readable else 1)

    def _exit_with(self, content: dict[str, Any] | str, code: int) -> None:
        self.stdout.write(content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False))
        if code:
            sys.exit(code)


def format_lines(source: str, observation: dict[str, Any]) -> str:
    """For people: what each rule says, with what was seen."""
    subject = Subject("", "", "", "", known={checks.OBSERVATION_KEY: observation})
    output_lines = [f"{source} {observation['version']}"]
    for rule in RULES:
        result = rule(subject, None)  # type: ignore[arg-type]
        output_lines.append(f"{result.outcome.upper():8} {result.summary}")
        output_lines += [
            f"         {evidence.label}: {evidence.value}"
            for evidence in result.evidence[:5]
            if result.outcome != Outcome.PASS or rule is checks.check_schema_read
        ]
    return "\n".join(output_lines)
