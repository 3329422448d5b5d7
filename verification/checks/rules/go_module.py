"""What do go.mod and the workflows show? Hints about how a provider or plugin is built and tested."""

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import code_of, link_to, state_of
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources import repository_snapshot as reader
from verification.sources.repository_snapshot import Code, Module

FRAMEWORK_PAGE = "https://developer.hashicorp.com/terraform/plugin/framework"
TESTING_PAGE = "https://developer.hashicorp.com/terraform/plugin/testing"
SCHEDULE_PAGE = "https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#schedule"
MOST_WORKFLOWS = 20
Seen = tuple[Evidence, ...]


def go_mod(code: Code) -> Module | None:
    """The go.mod at the root; None where there is none."""
    text = code.text("go.mod")
    return None if text is None else reader.module_of(text)


def no_module(code: Code, sources: Sources) -> Result:
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off before go.mod.", looked_at=state_of(code))
    seen = (Evidence("Commit", code.commit[:7], link_to(code, sources)),)
    return Result(Outcome.WARN, "There is no go.mod at the root of the repository.", seen, state_of(code))


@check(
    "go.module",
    title=gettext_noop("A Go module"),
    advice=gettext_noop("Run go mod init with the repository's own address, and release the go.mod that it makes."),
)
def module(subject: Subject, sources: Sources) -> Result:
    """There is a go.mod, and it bears the repository's name."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = go_mod(code)
    if found is None:
        return no_module(code, sources)
    seen = (
        Evidence("Module", found.path or "none", link_to(code, sources, "go.mod")),
        Evidence("Go", found.go or "not named"),
    )
    if not found.path:
        return Result(Outcome.WARN, "go.mod names no module.", seen, state_of(code))
    own = f"github.com/{code.repository}".lower()
    if found.path.lower() != own and not found.path.lower().startswith(f"{own}/"):
        return Result(Outcome.WARN, f"go.mod is named {found.path}, not {own}.", seen, state_of(code))
    return Result(Outcome.PASS, f"A Go module for Go {found.go or 'of any version'}.", seen, state_of(code))


@check(
    "go.framework",
    title=gettext_noop("Plugin Framework"),
    advice=gettext_noop("Begin new providers with the Plugin Framework; older ones can move one resource at a time."),
    help=FRAMEWORK_PAGE,
)
def framework(subject: Subject, sources: Sources) -> Result:
    """go.mod asks for the Plugin Framework. The older SDK beside it, or alone, is a warning."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = go_mod(code)
    if found is None:
        return no_module(code, sources)
    kits = {name: version for name, version in found.requires.items() if name in reader.KITS}
    place = link_to(code, sources, "go.mod")
    seen = tuple(Evidence(name, f"v{version}", place) for name, version in kits.items())
    if reader.FRAMEWORK not in kits:
        alone = "go.mod asks for the older SDK only." if kits else "go.mod asks for none of the plugin libraries."
        return Result(Outcome.WARN, alone, seen, state_of(code))
    if reader.SDK in kits:
        return Result(Outcome.WARN, "Built on the Plugin Framework and the older SDK together.", seen, state_of(code))
    return Result(Outcome.PASS, f"Built on the Plugin Framework v{kits[reader.FRAMEWORK]}.", seen, state_of(code))


@check(
    "go.acceptance_tests",
    title=gettext_noop("Acceptance tests"),
    advice=gettext_noop(
        "Write acceptance tests with terraform-plugin-testing and make them a required check of the repository."
    ),
    help=TESTING_PAGE,
)
def acceptance_tests(subject: Subject, sources: Sources) -> Result:
    """There are test files and a library for acceptance tests. That they pass is shown by a workflow, not here."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found, tests = go_mod(code), code.tests()
    seen: Seen = (Evidence("Files of tests", str(len(tests)), link_to(code, sources)),)
    if found is not None and reader.TESTING in found.requires:
        seen += (Evidence(reader.TESTING, f"v{found.requires[reader.TESTING]}", link_to(code, sources, "go.mod")),)
    if code.cut and not tests:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off before any test.", seen, state_of(code))
    if not tests:
        return Result(Outcome.WARN, "There is no file of tests (_test.go).", seen, state_of(code))
    if found is None or not {reader.TESTING, reader.SDK} & set(found.requires):
        summary = f"{len(tests)} files of tests, but no library for acceptance tests in go.mod."
        return Result(Outcome.WARN, summary, seen, state_of(code))
    return Result(
        Outcome.PASS, f"{len(tests)} files of tests, and a library for acceptance tests.", seen, state_of(code)
    )


@check(
    "go.tests",
    title=gettext_noop("Tests"),
    advice=gettext_noop("Write tests beside the code, in files that end in _test.go."),
)
def tests(subject: Subject, sources: Sources) -> Result:
    """There are test files."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = code.tests()
    seen = tuple(Evidence("Tests", file.path, link_to(code, sources, file.path)) for file in found[:5])
    if found:
        return Result(Outcome.PASS, f"{len(found)} files of tests.", seen, state_of(code))
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off before any test.", seen, state_of(code))
    return Result(Outcome.WARN, "There is no file of tests (_test.go).", seen, state_of(code))


@check(
    "go.nightly",
    title=gettext_noop("Nightly tests"),
    advice=gettext_noop("Give the workflow that runs the tests a schedule, such as cron: '0 2 * * *'."),
    help=SCHEDULE_PAGE,
)
def nightly(subject: Subject, sources: Sources) -> Result:
    """A workflow on the default branch, where GitHub takes schedules from, runs at least every working day."""
    if not subject.repository:
        return Result(Outcome.FAIL, "No repository is named yet.")
    branch = sources.github.repository(subject.repository).default_branch or "HEAD"
    code = sources.read(f"code:{subject.repository}@{branch}", lambda: sources.github.code(subject.repository, branch))
    files = code.workflows()
    times = {file.path: reader.crons(code.open(file)) for file in files[:MOST_WORKFLOWS]}
    seen = tuple(
        Evidence(path.rpartition("/")[2], ", ".join(crons) or "no schedule", link_to(code, sources, path))
        for path, crons in times.items()
    )
    due = [path for path, crons in times.items() if any(map(reader.is_nightly, crons))]
    testing = [path for path in due if reader.runs_tests(code.text(path) or "")]
    if testing:
        return Result(Outcome.PASS, f"{testing[0]} runs the tests every night.", seen, state_of(code))
    if due:
        return Result(Outcome.WARN, f"{due[0]} runs every night; it does not say go test.", seen, state_of(code))
    if code.cut or len(files) > MOST_WORKFLOWS:
        return Result(Outcome.NOT_RUN, "Not all workflows could be looked at.", seen, state_of(code))
    return Result(Outcome.WARN, "No workflow is scheduled to run every night.", seen, state_of(code))
