"""Command that runs the conformance suites; bin/conform calls it."""

import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

import django

from tests.conform.base import RunOptions, Suite, SuiteReport
from tests.conform.discovery import find_fuzzers, find_suites
from tests.conform.document import HEADING, PAGE, render_row, render_totals, update_page

DEFAULTS = RunOptions()
UNKNOWN_REFERENCE = "Unknown"


def parse_arguments() -> Namespace:
    parser = ArgumentParser(prog="bin/conform", description="Compare results with independent references.")
    parser.add_argument("keys", nargs="*", metavar="KEY", help="suites to run; all when none is named")
    parser.add_argument("--short", action="store_true", help="run the short form, as bin/test does")
    parser.add_argument("--seed", type=int, default=DEFAULTS.seed, help="seed of the random cases")
    parser.add_argument("--fuzz", metavar="KEY", help="run the suite's fuzzer instead")
    parser.add_argument("--cases", type=int, default=DEFAULTS.cases, help="number of fuzz cases")
    parser.add_argument("--list", action="store_true", help="list the suites and exit")
    return parser.parse_args()


def main() -> int:
    """Run what the arguments ask for. Return 0 if at least one suite ran and each that ran met its aim."""
    arguments = parse_arguments()
    django.setup()
    suites = find_suites()
    unknown = sorted({*arguments.keys, *filter(None, [arguments.fuzz])} - suites.keys())
    if unknown:
        print(f"Unknown suite: {', '.join(unknown)}. Use one of: {', '.join(suites)}.", file=sys.stderr)
        return 2
    if arguments.list:
        print("\n".join(f"{suite.key:<18} {suite.title}" for suite in suites.values()))
        return 0
    print(f"seed {arguments.seed}\n{HEADING}", flush=True)
    if arguments.fuzz:
        return run_fuzzer(arguments)
    selected_suites = [suites[key] for key in arguments.keys] if arguments.keys else list(suites.values())
    return run_suites(selected_suites, arguments)


def run_fuzzer(arguments: Namespace) -> int:
    """Run a suite's fuzzer; write the document after a run of full length."""
    fuzzer = find_fuzzers().get(arguments.fuzz)
    if fuzzer is None:
        print(f"{arguments.fuzz} has no fuzzer.", file=sys.stderr)
        return 2
    report = fuzzer.run(RunOptions(seed=arguments.seed, cases=arguments.cases))
    print_report(fuzzer, report, is_verbose=True)
    if report.cases >= DEFAULTS.cases:
        write_page([(fuzzer, report)], arguments.seed)
    return find_exit_code([report])


def write_page(results: list[tuple[Suite, SuiteReport]], seed: int) -> None:
    page = PAGE.read_text() if PAGE.exists() else ""
    keys = [*find_suites(), *(fuzzer.key for fuzzer in find_fuzzers().values())]
    PAGE.write_text(update_page(page, results, seed, keys))
    print(f"Wrote docs/reference/{PAGE.name}.")


def run_suites(selected_suites: list[Suite], arguments: Namespace) -> int:
    """Run suites one after the other, print each row when it is known; write the document after a long form."""
    options = RunOptions(seed=arguments.seed, full=not arguments.short)
    results: list[tuple[Suite, SuiteReport]] = []
    for number, suite in enumerate(selected_suites, 1):
        show_progress(f"{number} of {len(selected_suites)}: {suite.title} …")
        try:
            report = suite.run(options)
        except Exception as error:
            # one broken suite must not hide the others, and its last result no longer holds
            traceback.print_exc()
            report = SuiteReport(UNKNOWN_REFERENCE, 0, error=f"The suite ended with {type(error).__name__}.")
        show_progress("")
        results.append((suite, report))
        print_report(suite, report, is_verbose=bool(arguments.keys))
    if options.full:
        write_page(results, arguments.seed)
    reports = [report for _, report in results]
    print(render_totals(reports))
    return find_exit_code(reports)


def find_exit_code(reports: Sequence[SuiteReport]) -> int:
    """Return 0 if at least one suite ran and each that ran met its aim. A missing reference proves nothing."""
    run_reports = [report for report in reports if not report.not_run]
    return 0 if run_reports and all(report.is_met for report in run_reports) else 1


def print_report(suite: Suite, report: SuiteReport, *, is_verbose: bool) -> None:
    """Print the row, then unexplained disagreements; with `is_verbose` all disagreements and figures."""
    print(render_row(suite, report), flush=True)
    for each in report.disagreements if is_verbose else report.unexplained_disagreements:
        print(f"    {each.case}: portal {each.portal}, reference {each.reference}; {each.reason or 'not explained'}")
    if is_verbose:
        print("".join(f"    {name}: {value}\n" for name, value in report.figures), end="", flush=True)


def show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
