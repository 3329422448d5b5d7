"""`manage.py inspect_provider_schema PATH`: start a provider in the sandbox, read its schema, and say what is to be
said.
"""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.core.cli import unusable
from verification.checks.rules import provider_schema as checks
from verification.checks.types import Subject
from verification.outcomes import Outcome
from verification.sandbox import client
from verification.sandbox.client import SandboxProtocolError
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.provider_schema import summary
from verification.testruns.kinds.provider_schema.reader import given_of
from verification.testruns.kinds.provider_schema.worker import WAYS

RULES = (checks.read, checks.prefix, checks.descriptions, checks.deprecated, checks.sensitive)


class Command(BaseCommand):
    help = (
        "Starts a provider's executable in the sandbox and reads its schema, from itself and through Terraform. Ends "
        "with 0 where it could be read, 1 where the provider is to blame, 2 where it was not run. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("executable", type=Path)
        parser.add_argument("--via", choices=WAYS, default="both", help="both, as far as there is a Terraform here")
        parser.add_argument("--source", default="", metavar="NAMESPACE/NAME", help="else after the file's own name")
        parser.add_argument("--as-version", default="", metavar="VERSION", help="else after the file's own name")
        parser.add_argument("--readable", type=Path, action="append", default=[], metavar="FOLDER",
                            help="a folder that the provider may see, for one that is a script")  # fmt: skip
        parser.add_argument("--json", action="store_true", dest="as_json", help="everything, the schema included")

    def handle(self, *, executable: Path, as_json: bool, **options: Any) -> None:  # type: ignore[override]
        if not executable.is_file():
            raise unusable(f"{executable} is no file.")
        try:
            named = given_of(executable, options["source"], options["as_version"])
            given = {
                "source": named.source, "version": named.version, "via": options["via"],
                "readable": [str(path.resolve()) for path in options["readable"]],
            }  # fmt: skip
            answer = client.run_job("schema", given, {"provider": executable}, service=settings.SANDBOX_SOCKET)
        except (ValueError, SandboxProtocolError) as sentence:
            raise unusable(sentence) from sentence
        except SandboxUnavailable as why:
            self._end({"not_run": str(why)} if as_json else f"Not run. {why}", 2)
        found = summary.told(answer, named.version, timezone.now().isoformat())
        read = all(one["read"] for one in found["readings"]) and not found["differences"]
        if not found["readings"]:
            self._end(
                {"not_run": "no terraform on this worker"} if as_json else "Not run: no terraform on this worker.", 2
            )
        whole = {"source": named.source, **found, "schema": answer["schema"]}
        self._end(whole if as_json else lines(named.source, found), 0 if read else 1)

    def _end(self, what: dict[str, Any] | str, code: int) -> None:
        self.stdout.write(what if isinstance(what, str) else json.dumps(what, indent=2, ensure_ascii=False))
        if code:
            sys.exit(code)


def lines(source: str, found: dict[str, Any]) -> str:
    """For people: what each rule says, with what was seen."""
    subject = Subject("", "", "", "", known={checks.KNOWN: found})
    text = [f"{source} {found['version']}"]
    for rule in RULES:
        said = rule(subject, None)  # type: ignore[arg-type]
        text.append(f"{said.outcome.upper():8} {said.summary}")
        text += [f"         {seen.label}: {seen.value}" for seen in said.evidence[:5] if said.outcome != Outcome.PASS
                 or rule is checks.read]  # fmt: skip
    return "\n".join(text)
