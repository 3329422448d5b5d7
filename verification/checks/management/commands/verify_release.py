"""Command that verifies a published release by the program's rules and by Terraform's."""

import json
import sys
from argparse import ArgumentParser
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.core.cli import build_usage_error
from verification.outcomes import get_exit_code
from verification.releases import TITLES, Report, verify
from verification.releases.inspection import ReleaseReader
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol


class Command(BaseCommand):
    help = (
        "Verify a version of a provider in a registry by the portal's checks, and print whether Terraform would "
        "install it. Exit codes: 0 nothing failed, 1 something failed, 2 unknown; with --json 0 for every report. "
        "Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("provider", metavar="NAMESPACE/NAME", help="The provider in the registry.")
        parser.add_argument("version", nargs="?", default="", help="The version. Default: the newest one.")
        parser.add_argument("--registry", required=True, metavar="BASE_URL", help="The root URL of the registry.")
        parser.add_argument("--host", default="", help="The registry's host name in Terraform's messages.")
        parser.add_argument("--platform", default="linux_amd64", help="The platform that Terraform runs on.")
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print everything as JSON.")

    def handle(
        self, *, provider: str, version: str, registry: str, host: str, platform: str, as_json: bool, **options: object
    ) -> None:
        namespace, _, name = provider.partition("/")
        if not (namespace and name) or "/" in name or version.startswith("-"):
            raise build_usage_error("Enter the provider as NAMESPACE/NAME.")
        # A registry on this machine is a test registry, which rarely has TLS.
        try:
            outbound = OutboundClient(loopback=urls.is_this_machine(urlsplit(registry).hostname or ""))
            urls.parse_url(registry, loopback=outbound.loopback)
        except (RequestRefusedError, ValueError) as refusal:
            raise build_usage_error(refusal) from refusal
        now = timezone.now().timestamp()
        reader = ReleaseReader(RegistryProtocol(registry, outbound), namespace, name, now, host)
        report = verify(reader, version.removeprefix("v"), platform)
        text = json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if as_json else format_report(report)
        self.stdout.write(text)
        # Scripts read the outcome from the JSON, and many discard the output of a command that fails.
        if not as_json and (exit_code := get_exit_code(report.outcome)):
            sys.exit(exit_code)


def format_report(report: Report) -> str:
    """Return the report as text, one line per check."""
    lines = [f"{report.release.address} {report.release.version}"]
    lines += [
        f"{result.outcome.upper().replace('_', ' '):8} {TITLES[id]}: {result.summary}"
        for id, result in report.results.items()
    ]
    decision = report.terraform
    return "\n".join((*lines, f"Terraform on {report.platform}: {decision.verdict}. {decision.message}".rstrip()))
