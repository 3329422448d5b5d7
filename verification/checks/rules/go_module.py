"""Checks of go.mod and the workflows: how a provider or plugin is built and tested. Most are hints."""

from verification.checks.rules.shared_reads import build_code_state, build_code_url, with_release_code
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources import repository_snapshot as reader
from verification.sources.repository_snapshot import GoModule, RepositorySnapshot

MAX_WORKFLOWS = 20
EvidenceItems = tuple[Evidence, ...]


def read_go_module(code: RepositorySnapshot) -> GoModule | None:
    """Return the go.mod at the root, or None if the repository has no such file."""
    text = code.text("go.mod")
    return None if text is None else reader.parse_go_mod(text)


def build_missing_module_result(code: RepositorySnapshot, sources: Sources) -> Result:
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub truncates the file list before go.mod.")
    evidence = (Evidence("Commit", code.commit[:7], build_code_url(code, sources)),)
    return Result(Outcome.WARN, "The root of the repository has no go.mod.", evidence)


@register_check("go.module")
@with_release_code
def check_go_module(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    go_module = read_go_module(code)
    if go_module is None:
        return build_missing_module_result(code, sources)
    evidence = (
        Evidence("Module", go_module.path or "none", build_code_url(code, sources, "go.mod")),
        Evidence("Go", go_module.go or "no name"),
    )
    if not go_module.path:
        return Result(Outcome.WARN, "go.mod has no module name.", evidence)
    expected_path = f"github.com/{code.repository}".lower()
    if go_module.path.lower() != expected_path and not go_module.path.lower().startswith(f"{expected_path}/"):
        return Result(Outcome.WARN, f"The module in go.mod is named {go_module.path}, not {expected_path}.", evidence)
    return Result(Outcome.PASS, f"A Go module for Go {go_module.go or 'of any version'}.", evidence)


@register_check("go.framework")
@with_release_code
def check_plugin_framework(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    go_module = read_go_module(code)
    if go_module is None:
        return build_missing_module_result(code, sources)
    plugin_libraries = {
        name: version for name, version in go_module.requires.items() if name in reader.PLUGIN_LIBRARIES
    }
    url = build_code_url(code, sources, "go.mod")
    evidence = tuple(Evidence(name, f"v{version}", url) for name, version in plugin_libraries.items())
    if reader.FRAMEWORK_MODULE not in plugin_libraries:
        summary = (
            "go.mod requires only the older SDK."
            if plugin_libraries
            else "go.mod requires none of the plugin libraries."
        )
        return Result(Outcome.WARN, summary, evidence)
    if reader.SDK_MODULE in plugin_libraries:
        return Result(Outcome.WARN, "The provider uses both the Plugin Framework and the older SDK.", evidence)
    return Result(
        Outcome.PASS, f"The provider uses the Plugin Framework v{plugin_libraries[reader.FRAMEWORK_MODULE]}.", evidence
    )


@register_check("go.acceptance_tests")
@with_release_code
def check_acceptance_tests(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    go_module, test_files = read_go_module(code), code.list_test_files()
    evidence: EvidenceItems = (Evidence("Test files", str(len(test_files)), build_code_url(code, sources)),)
    if go_module is not None and reader.TESTING_MODULE in go_module.requires:
        evidence += (
            Evidence(
                reader.TESTING_MODULE,
                f"v{go_module.requires[reader.TESTING_MODULE]}",
                build_code_url(code, sources, "go.mod"),
            ),
        )
    if code.cut and not test_files:
        return Result(Outcome.NOT_RUN, "GitHub truncates the file list before the first test file.", evidence)
    if not test_files:
        return Result(Outcome.WARN, "The repository has no test files (_test.go).", evidence)
    if go_module is None or not {reader.TESTING_MODULE, reader.SDK_MODULE} & set(go_module.requires):
        summary = f"The repository has {len(test_files)} test files, but go.mod has no library for acceptance tests."
        return Result(Outcome.WARN, summary, evidence)
    return Result(
        Outcome.PASS, f"The repository has {len(test_files)} test files and a library for acceptance tests.", evidence
    )


@register_check("go.tests")
@with_release_code
def check_go_tests(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    test_files = code.list_test_files()
    evidence = tuple(Evidence("Tests", file.path, build_code_url(code, sources, file.path)) for file in test_files[:5])
    if test_files:
        return Result(Outcome.PASS, f"The repository has {len(test_files)} test files.", evidence)
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub truncates the file list before the first test file.", evidence)
    return Result(Outcome.WARN, "The repository has no test files (_test.go).", evidence)


@register_check("go.nightly")
def check_nightly_tests(subject: Subject, sources: Sources) -> Result:
    if not subject.repository:
        return Result(Outcome.FAIL, "Enter the repository URL first.")
    branch = sources.github.repository(subject.repository).default_branch or "HEAD"
    code = sources.read(f"code:{subject.repository}@{branch}", lambda: sources.github.code(subject.repository, branch))
    files = code.list_workflow_files()
    crons_by_path = {file.path: reader.list_cron_schedules(code.open(file)) for file in files[:MAX_WORKFLOWS]}
    evidence = tuple(
        Evidence(path.rpartition("/")[2], ", ".join(crons) or "no schedule", build_code_url(code, sources, path))
        for path, crons in crons_by_path.items()
    )
    nightly_paths = [path for path, crons in crons_by_path.items() if any(map(reader.is_nightly, crons))]
    testing_paths = [path for path in nightly_paths if reader.has_test_command(code.text(path) or "")]
    if testing_paths:
        return Result(Outcome.PASS, f"{testing_paths[0]} runs the tests every night.", evidence, build_code_state(code))
    if nightly_paths:
        return Result(
            Outcome.WARN,
            f"{nightly_paths[0]} runs every night, but doesn't contain “go test”.",
            evidence,
            build_code_state(code),
        )
    if code.cut or len(files) > MAX_WORKFLOWS:
        return Result(Outcome.NOT_RUN, "We couldn't read all workflows.", evidence, build_code_state(code))
    return Result(Outcome.WARN, "No workflow runs every night.", evidence, build_code_state(code))
