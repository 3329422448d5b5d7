"""Command line of preflight: `portal-preflight PROGRAM OWNER/NAME`. It needs neither a database nor settings.

EPILOG lists the exit codes.
"""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition
from portal.core.repository_urls import InvalidRepositoryUrlError, parse_repository
from verification.checks import execution
from verification.checks.types import get_description
from verification.preflight import checkout_sources as local, output
from verification.preflight.report import EXIT_PASSED, EXIT_UNDECIDED, EXIT_USAGE, PreflightReport
from verification.preflight.settings import PreflightUsageError, configure
from verification.sources import Sources
from verification.terraform.versions import InvalidVersionError, parse_version

# 128 plus the number of SIGINT, as shells report it.
INTERRUPTED_EXIT_CODE = 130
EPILOG = """\
environment:
  GITHUB_TOKEN    token for GitHub; without it, the limit for anonymous requests applies
  GITHUB_API_URL, GITHUB_WEB_URL, REGISTRY_URL    servers to use instead of the public ones
  NO_COLOR        no colors on a terminal

exit codes:
  0    nothing must be fixed; warnings and hints don't count
  1    something must be fixed
  2    invalid arguments or environment, or the folder can't be read
  3    no check failed, but some checks couldn't be completed (0 with --allow-undecided)
  130  interrupted
"""


USAGE_ERRORS = (PreflightUsageError, InvalidRepositoryUrlError, InvalidVersionError)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "portal-preflight",
        description="Run the portal's checks on a repository, on your own machine.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", choices=sorted(PROGRAMS), metavar="PROGRAM", help=", ".join(sorted(PROGRAMS)))
    add_arguments(parser)
    parser.add_argument("--version", default="", metavar="X.Y.Z", help="version of the release (default: the latest)")
    parser.add_argument("--path", metavar="DIR", help="read this checkout instead of GitHub and the registry")
    parser.add_argument(
        "--allow-undecided", action="store_true", help="exit with 0 instead of 3 if some checks couldn't be completed"
    )
    add_format_argument(parser)
    return parser


def add_format_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=output.FORMATTERS, default="text", help="output format (default: text)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the repository and the arguments that select its checks."""
    parser.add_argument("repository", metavar="OWNER/NAME", help="name or URL of the repository on GitHub")
    parser.add_argument(
        "--edition", default="", metavar="YYYY-MM", help="edition of the program (default: the one in force)"
    )
    parser.add_argument(
        "--category", default="", metavar="KEY", help="category of the program (default: checks of all categories)"
    )
    parser.add_argument("--only", action="append", default=[], metavar="CHECK", help="run only this check (repeatable)")


def main(argv: Sequence[str] | None = None, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Run the command and return its exit code. Only the result is written to `out`."""
    out = out or sys.stdout
    err = err or sys.stderr
    options = build_parser().parse_args(argv)
    # Without a handler, Python prints warnings and tracebacks between the lines of progress.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        configure()
        report = run_preflight(options, report_progress=lambda line: print(line, file=err, flush=True))
    except USAGE_ERRORS as refusal:
        print(f"portal-preflight: {refusal}", file=err)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return INTERRUPTED_EXIT_CODE
    print(output.format_report(report, options.format, has_colors(out)), file=out)
    return EXIT_PASSED if options.allow_undecided and report.exit_code == EXIT_UNDECIDED else report.exit_code


def run_preflight(options: argparse.Namespace, report_progress: Callable[[str], object]) -> PreflightReport:
    """Run the selected checks and call `report_progress` at the start of each. Raises USAGE_ERRORS."""
    repository = parse_repository(options.repository)
    edition = _get_edition(options.program, options.edition)
    if options.category and edition.get_category(options.category) is None:
        raise PreflightUsageError(f"The program has these categories: {', '.join(c.key for c in edition.categories)}.")
    keys = _select_keys(execution.list_check_keys(edition, options.category), options.only)
    # A check that was named with --only counts, even if it is a hint in the program.
    advisory_keys = execution.list_advisory_check_keys(edition, options.category) - set(options.only)
    version = str(parse_version(options.version.removeprefix("v"))) if options.version else ""
    folder = _get_folder(options.path)
    # A folder has no releases, so the checked-out commit counts.
    tag = f"v{version}" if version else "HEAD" if folder else ""
    subject = execution.build_subject(PROGRAMS[options.program], edition, repository)
    subject = replace(subject, category=options.category, tag=tag)

    def begin(key: str) -> None:
        report_progress(f"[{keys.index(key) + 1}/{len(keys)}] {get_description(key).title} …")

    if folder is None:
        results = execution.run_checks(keys, subject, Sources(), begin)
    else:
        results = local.run_checkout_checks(keys, subject, folder, begin)
    return PreflightReport(subject, results, version, str(folder or ""), advisory_keys)


def _get_edition(program: str, date: str) -> Edition:
    editions = PROGRAMS[program].by_date
    if date and date not in editions:
        raise PreflightUsageError(f"{program} has these editions: {', '.join(editions)}.")
    # Not the edition in force, which depends on the portal's settings.
    return editions[date] if date else PROGRAMS[program].default_edition


def _select_keys(available_keys: Sequence[str], only: Sequence[str]) -> tuple[str, ...]:
    unknown = [key for key in only if key not in available_keys]
    if unknown:
        raise PreflightUsageError(
            f"The program doesn't have {', '.join(unknown)}. Its checks are {', '.join(available_keys) or 'none'}."
        )
    return tuple(key for key in available_keys if not only or key in only)


def _get_folder(text: str | None) -> Path | None:
    if text is None:
        return None
    if not (Path(text).is_dir() and os.access(text, os.R_OK | os.X_OK)):
        raise PreflightUsageError(f"{text} is not a readable folder.")
    return Path(text)


def has_colors(out: TextIO) -> bool:
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


if __name__ == "__main__":
    sys.exit(main())
