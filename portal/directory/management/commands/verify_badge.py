"""Command that verifies a badge statement without database and network."""

import json
import sys
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from portal.core.cli import parse_moment
from portal.directory.badges.signing_keys import parse_public_keys
from portal.directory.badges.statements import verify_statement
from portal.directory.badges.verification_results import TEXTS, list_claims


class Command(BaseCommand):
    help = (
        "Verify the signature of a badge statement with the published keys. Exit codes: 0 if the statement is genuine, "
        "1 if it is not genuine or has expired, 2 if it is unreadable."
    )
    # Anyone can verify a statement, but system checks are about the settings of a portal.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="Statement file in either format, or - for standard input.")
        parser.add_argument("--key", required=True, help="JSON Web Key Set, downloaded from the portal.")
        parser.add_argument(
            "--at", type=parse_moment, metavar="TIME", help="Time of the verification, by default in UTC. Default: now."
        )
        parser.add_argument("--issuer", help="Required issuer, such as https://portal.example.com.")

    def handle(self, *args: object, file: str, key: str, at: datetime | None, issuer: str | None, **__: object) -> None:
        keys = _read_keys(key)
        result = verify_statement(_read_text(file), keys, issuer, at or timezone.now())
        verdict_text = TEXTS.verdicts[result.verdict]
        self.stdout.write(f"{verdict_text.heading}. {verdict_text.description}")
        rows = list_claims(result)
        for label, name in (("Issued", "iat"), ("Expires", "exp")):
            if claimed_at := result.get_moment(name):
                rows.append((label, f"{claimed_at:%Y-%m-%d %H:%M} UTC"))
        if rows and not result.signed:
            self.stdout.write("Unverified claims:")
        for label, text in rows:
            self.stdout.write(f"  {label}: {text}")
        if verdict_text.exit_code:
            sys.exit(verdict_text.exit_code)


def _read_keys(path: str) -> dict[str, Ed25519PublicKey]:
    try:
        return parse_public_keys(json.loads(Path(path).read_text()))
    except OSError as problem:
        raise CommandError(f"Cannot read the keys: {problem.strerror}: {path}.", returncode=2) from problem
    except (ValueError, AttributeError) as problem:
        raise CommandError(f"Not a JSON Web Key Set: {path}.", returncode=2) from problem


def _read_text(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text()
    except OSError as problem:
        raise CommandError(f"Cannot read the statement: {problem.strerror}: {path}.", returncode=2) from problem
    except UnicodeDecodeError:
        # An empty text is an unreadable statement, which has an exit code of its own.
        return ""
