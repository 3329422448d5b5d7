"""Command that prints what a Packer plugin describes, without a database."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error
from portal.core.terminal import sanitize
from portal.core.value_types import JsonObject
from verification.plugins.packer import COMPONENT_KEYS
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.sandbox_kind import get_executable
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS


class Command(BaseCommand):
    help = (
        "Run “describe” of a Packer plugin in the sandbox, and print its versions and components. Exit codes: 0 if "
        "Packer can use the description, 1 if it can't, 2 if there is no sandbox. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name in ("executable", "--readable"):  # as for Nomad plugins
            KINDS[TestRun.Kind.NOMAD_PLUGIN].add_argument(parser, name)
        parser.add_argument("--json", action="store_true", help="Print everything as JSON.")

    def handle(self, **options: Any) -> None:
        job_input = {"readable": [str(folder) for folder in options["readable"]]}
        try:
            report = client.run_job("packer", job_input, get_executable(options), service=settings.SANDBOX_SOCKET)
        except (SandboxUnavailable, ValueError, client.SandboxProtocolError) as error:
            raise build_usage_error(sanitize(f"Not run: {error}")) from error
        self.stdout.write(json.dumps(report, indent=2) if options["json"] else format_report(report))
        if report["problem"]:
            sys.exit(1)


def format_report(report: JsonObject) -> str:
    if report["problem"]:
        return sanitize(f"FAIL: {report['problem']}")
    description = report["description"]
    lines = [f"{key}: {description[key] or 'unknown'}" for key in ("version", "api_version", "sdk_version")]
    lines += [f"{key}: {', '.join(description[key]) or 'none'}" for key in COMPONENT_KEYS]
    return "\n".join(map(sanitize, lines))
