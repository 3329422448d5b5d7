"""Command that verifies a badge statement without database and network."""

import json
import sys
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from portal.directory.badges.signing_keys import parse_public_keys
from portal.directory.badges.statements import VerificationResult, verify_statement
from portal.directory.badges.verification_results import VERDICT_TEXTS, list_claims


class Command(BaseCommand):
    help = (
        "Verify the signature of a badge statement with the published keys. Exits with 0 if the statement is genuine, "
        "1 if it is not genuine or has expired, and 2 if it is unreadable."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="Statement file in either format, or - for standard input.")
        parser.add_argument("--key", required=True, help="JSON Web Key Set, downloaded from the portal.")
        parser.add_argument("--at", help="Time of the verification, such as 2026-04-14T09:00Z. Defaults to now.")
        parser.add_argument("--issuer", help="Required issuer, such as https://portal.example.com.")

    def handle(self, *args: object, **options: Any) -> None:
        keys, at = _read_keys(options["key"]), _parse_moment(options["at"])
        result = verify_statement(_read_text(options["file"]), keys, options["issuer"], at)
        verdict_text = VERDICT_TEXTS[result.verdict]
        self.stdout.write(f"{verdict_text.heading}. {verdict_text.sentence}")
        for line in _build_lines(result):
            self.stdout.write(line)
        if verdict_text.code:
            sys.exit(verdict_text.code)


def _build_lines(result: VerificationResult) -> list[str]:
    """Return the lines with the claims, after a warning if they are not signed."""
    rows = list_claims(result)
    rows += [(label, f"{at:%Y-%m-%d %H:%M} UTC") for label, at in _list_moments(result)]
    warning_lines = [] if result.signed or not rows else ["Unverified claims:"]
    return warning_lines + [f"  {label}: {text}" for label, text in rows]


def _list_moments(result: VerificationResult) -> list[tuple[str, datetime]]:
    labeled_moments = (("Issued", result.get_moment("iat")), ("Expires", result.get_moment("exp")))
    return [(label, at) for label, at in labeled_moments if at is not None]


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
        return ""


def _parse_moment(text: str | None) -> datetime:
    if text is None:
        return timezone.now()
    try:
        result = parse_datetime(text)
    except ValueError:
        result = None
    if result is None or result.tzinfo is None:
        raise CommandError(
            f"--at must be a time with a time zone, such as 2026-04-14T09:00Z, not {text!r}.", returncode=2
        )
    return result
