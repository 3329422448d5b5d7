"""Is a badge's statement genuine? Answered from two files, without a database and without a network."""

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
        "Says whether a statement (a file, or - for what is piped in) was signed with one of the published keys. "
        "Ends with 0 where it is genuine, 1 where it is not (any more), 2 where it cannot be read. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="The statement, in either form; - reads it from standard input.")
        parser.add_argument("--key", required=True, help="The key set that was fetched from the portal (JSON).")
        parser.add_argument("--at", help="The moment to judge at, as 2026-04-14T09:00Z; now if not given.")
        parser.add_argument("--issuer", help="The portal that must have issued it, as https://portal.example.com.")

    def handle(self, *args: Any, **options: Any) -> None:
        keys, at = _read_keys(options["key"]), _parse_moment(options["at"])
        result = verify_statement(_read_text(options["file"]), keys, options["issuer"], at)
        verdict_text = VERDICT_TEXTS[result.verdict]
        self.stdout.write(f"{verdict_text.heading}. {verdict_text.sentence}")
        for line in _build_lines(result):
            self.stdout.write(line)
        if verdict_text.code:
            sys.exit(verdict_text.code)


def _build_lines(result: VerificationResult) -> list[str]:
    """What it says, with the warning where nobody vouches for it."""
    rows = list_claims(result)
    rows += [(label, f"{at:%Y-%m-%d %H:%M} UTC") for label, at in _list_moments(result)]
    warning_lines = [] if result.signed or not rows else ["Nobody vouches for what it says:"]
    return warning_lines + [f"  {label}: {text}" for label, text in rows]


def _list_moments(result: VerificationResult) -> list[tuple[str, datetime]]:
    labeled_moments = (("Issued", result.get_moment("iat")), ("Expires", result.get_moment("exp")))
    return [(label, at) for label, at in labeled_moments if at is not None]


def _read_keys(path: str) -> dict[str, Ed25519PublicKey]:
    try:
        return parse_public_keys(json.loads(Path(path).read_text()))
    except OSError as problem:
        raise CommandError(f"The keys cannot be read: {problem.strerror}: {path}.", returncode=2) from problem
    except (ValueError, AttributeError) as problem:
        raise CommandError(f"This is no JSON Web Key Set: {path}.", returncode=2) from problem


def _read_text(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text()
    except OSError as problem:
        raise CommandError(f"The statement cannot be read: {problem.strerror}: {path}.", returncode=2) from problem
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
        raise CommandError(f"--at must be a moment with its zone, as 2026-04-14T09:00Z, not {text!r}.", returncode=2)
    return result
