"""`portal-preflight PROGRAM OWNER/NAME`: what would the portal's checks say? Needs no database and no settings.

Ends with 0 where all pass, 1 where there is something to fix, 2 where we could not tell.
"""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition
from portal.core.repository_urls import BadAddress, parse_repository
from verification.checks import execution
from verification.checks.types import CHECKS
from verification.preflight import checkout_sources as local
from verification.preflight import output
from verification.preflight.report import UNKNOWN, Report
from verification.preflight.settings import BadSetting, configure
from verification.sources import Sources
from verification.terraform.versions import BadVersion, parse

INTERRUPTED = 130
ENVIRONMENT = """\
environment:
  GITHUB_TOKEN    read GitHub with this token; without it the anonymous limit applies
  GITHUB_API_URL, GITHUB_WEB_URL, REGISTRY_URL    other servers than the public ones
  NO_COLOR        no colours on a terminal

ends with 0: nothing to fix, 1: something to fix, 2: we could not tell
"""


class Wrong(ValueError):
    """The arguments ask for something that cannot be. The message is a sentence fit to show."""


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "portal-preflight",
        description="Runs the portal's checks on a repository, on your own machine.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", choices=sorted(PROGRAMS), metavar="PROGRAM", help=", ".join(sorted(PROGRAMS)))
    add_arguments(parser)
    parser.add_argument("--version", default="", metavar="X.Y.Z", help="the release to look at; the newest if left out")
    parser.add_argument("--path", metavar="DIR", help="read this checkout instead of asking GitHub and the registry")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_const", dest="form", const="json", help="the results as JSON")
    form.add_argument("--junit", action="store_const", dest="form", const="junit", help="as a JUnit test suite")
    form.add_argument("--github", action="store_const", dest="form", const="github", help="as workflow annotations")
    return parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What every form of the command takes."""
    parser.add_argument("repository", metavar="OWNER/NAME", help="the repository on GitHub, or its address")
    parser.add_argument("--edition", default="", metavar="YYYY-MM", help="of the program; the newest if left out")
    parser.add_argument("--category", default="", metavar="KEY", help="of the program; checks of all if left out")
    parser.add_argument("--only", action="append", default=[], metavar="CHECK", help="only this check; may be repeated")


def main(argv: Sequence[str] | None = None, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """The command. Returns the number to end with; nothing but the result goes to standard output."""
    out, err = out or sys.stdout, err or sys.stderr
    given = arguments().parse_args(argv)
    logging.getLogger("verification").addHandler(logging.NullHandler())
    try:
        configure()
        report = run(given, tell=lambda line: print(line, file=err, flush=True))
    except (Wrong, BadSetting) as refusal:
        print(f"portal-preflight: {refusal}", file=err)
        return UNKNOWN
    except KeyboardInterrupt:
        return INTERRUPTED
    print(output.FORMS[given.form](report) if given.form else output.as_text(report, has_colours(out)), file=out)
    return report.exit_code


def run(given: argparse.Namespace, tell: Callable[[str], Any]) -> Report:
    """Run what the arguments ask for; `tell` is told of the progress. Raises Wrong."""
    repository, edition = _repository(given.repository), _edition(given.program, given.edition)
    if given.category and edition.category(given.category) is None:
        raise Wrong(f"The program has these categories: {', '.join(c.key for c in edition.categories)}.")
    keys = _keys(execution.keys_of(edition, given.category), given.only)
    hints = execution.hints_of(edition, given.category) - set(given.only)
    version, folder = _version(given.version), _folder(given.path)
    tag = f"v{version}" if version else "HEAD" if folder else ""
    chosen: dict[str, Any] = {"category": given.category, "version": version, "tag": tag}
    subject = execution.subject_of(PROGRAMS[given.program], edition, repository, **chosen)

    def begin(key: str) -> None:
        tell(f"[{keys.index(key) + 1}/{len(keys)}] {CHECKS[key].title if key in CHECKS else key} …")

    if folder is None:
        results = execution.look(keys, subject, Sources(), begin)
    else:
        results = local.look(keys, subject, folder, begin)
    return Report(subject, results, version, str(folder or ""), hints)


def _repository(text: str) -> str:
    try:
        return parse_repository(text)
    except BadAddress as refusal:
        raise Wrong(str(refusal)) from refusal


def _edition(program: str, date: str) -> Edition:
    editions = PROGRAMS[program].by_date
    if date and date not in editions:
        raise Wrong(f"{program} has these editions: {', '.join(editions)}.")
    return editions[date] if date else PROGRAMS[program].newest


def _keys(asked: Sequence[str], only: Sequence[str]) -> tuple[str, ...]:
    unknown = [key for key in only if key not in asked]
    if unknown:
        raise Wrong(f"The program does not ask for {', '.join(unknown)}, but for {', '.join(asked) or 'no checks'}.")
    return tuple(key for key in asked if not only or key in only)


def _version(text: str) -> str:
    try:
        return str(parse(text.removeprefix("v"))) if text else ""
    except BadVersion as refusal:
        raise Wrong(str(refusal)) from refusal


def _folder(text: str | None) -> Path | None:
    if text is None:
        return None
    if not Path(text).is_dir():
        raise Wrong(f"{text} is not a folder.")
    return Path(text)


def has_colours(out: TextIO) -> bool:
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


if __name__ == "__main__":
    sys.exit(main())
