"""Checks of go.mod and the workflows: how a provider or plugin is built and tested. Most are hints."""

from collections.abc import Callable, Mapping
from functools import wraps

from verification.checks.rules.shared_reads import (
    add_state,
    build_code_state,
    build_code_url,
    read_code,
    require_repository,
    with_release_code,
    with_value,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.sources import Sources, repository_snapshot as reader
from verification.sources.errors import AccessDeniedError, SourceNotFoundError
from verification.sources.repository_snapshot import GoModule, RepositorySnapshot

MAX_WORKFLOWS = 20
GoModuleCheck = Callable[[RepositorySnapshot, Sources, GoModule], Result]


def read_go_module(code: RepositorySnapshot) -> GoModule | None:
    """Return the go.mod at the root, or None if the repository has no such file."""
    text = code.read_text("go.mod")
    return None if text is None else reader.parse_go_mod(text)


def with_go_module(check: GoModuleCheck) -> Callable[[Subject, Sources], Result]:
    """Decorate a check of the go.mod in the selected release. Without a go.mod, it is a warning."""

    @with_release_code
    @wraps(check)
    def run(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
        go_module = read_go_module(code)
        if go_module is not None:
            return check(code, sources, go_module)
        # GitHub returns at most 100,000 entries of a tree, so a file that a truncated list lacks may still exist.
        if code.is_truncated:
            return Result(Outcome.NOT_RUN, "GitHub truncates the file list before go.mod.")
        evidence = (Evidence("Commit", code.commit[:7], build_code_url(code, sources)),)
        return Result(Outcome.WARN, "The root of the repository has no go.mod.", evidence)

    return run


@register_check("go.module", with_go_module)
def check_go_module(code: RepositorySnapshot, sources: Sources, go_module: GoModule) -> Result:
    evidence = (
        Evidence("Module", go_module.path or "none", build_code_url(code, sources, "go.mod")),
        Evidence("Go", go_module.go or "no version"),
    )
    if not go_module.path:
        return Result(Outcome.WARN, "go.mod has no module name.", evidence)
    # GitHub ignores case in names. A module of major version 2 or later ends in its version, such as /v2 (Go Modules
    # Reference).
    expected_path = f"github.com/{code.repository}"
    if not f"{go_module.path}/".lower().startswith(f"{expected_path}/".lower()):
        return Result(Outcome.WARN, f"The module in go.mod is named {go_module.path}, not {expected_path}.", evidence)
    return Result(Outcome.PASS, f"A Go module for Go {go_module.go or 'of any version'}.", evidence)


@register_check("go.plugin_library", with_go_module)
def check_plugin_library(code: RepositorySnapshot, sources: Sources, go_module: GoModule) -> Result:
    # Writing Custom Providers, "The Provider Schema": the library helps to define the provider. It was part of
    # Terraform then, and has been a module of its own since.
    libraries = (reader.FRAMEWORK_MODULE, reader.SDK_MODULE, reader.LOW_LEVEL_MODULE, *reader.OLD_SDK_MODULES)
    name = next((each for each in libraries if each in go_module.requires), "")
    if not name:
        return Result(Outcome.WARN, "go.mod requires none of the plugin libraries.")
    module = f"{name} v{go_module.requires[name]}"
    evidence = (Evidence("Library", module, build_code_url(code, sources, "go.mod")),)
    if name in reader.OLD_SDK_MODULES:
        return Result(Outcome.WARN, f"{module} is no longer maintained as a plugin library.", evidence)
    return Result(Outcome.PASS, f"The provider uses {module}.", evidence)


@register_check("go.framework", with_go_module)
def check_plugin_framework(code: RepositorySnapshot, sources: Sources, go_module: GoModule) -> Result:
    plugin_libraries = {
        name: version for name, version in go_module.requires.items() if name in reader.PLUGIN_LIBRARIES
    }
    url = build_code_url(code, sources, "go.mod")
    evidence = tuple(Evidence(name, f"v{version}", url) for name, version in plugin_libraries.items())
    # The Partner tag requires the framework only from new providers, and older ones can migrate one resource at a time.
    # So neither the older SDK nor the use of both is a failure.
    if reader.FRAMEWORK_MODULE not in plugin_libraries:
        requirement = "only the older SDK" if plugin_libraries else "none of the plugin libraries"
        return Result(Outcome.WARN, f"go.mod requires {requirement}.", evidence)
    if reader.SDK_MODULE in plugin_libraries:
        return Result(Outcome.WARN, "The provider uses both the Plugin Framework and the older SDK.", evidence)
    version = plugin_libraries[reader.FRAMEWORK_MODULE]
    return Result(Outcome.PASS, f"The provider uses the Plugin Framework v{version}.", evidence)


@register_check("go.acceptance_tests", with_release_code)
def check_acceptance_tests(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    go_module = read_go_module(code)
    test_files = code.list_test_files()
    requires = go_module.requires if go_module else {}
    evidence = [Evidence("Test files", str(len(test_files)), build_code_url(code, sources))]
    if version := requires.get(reader.TESTING_MODULE):
        evidence.append(Evidence(reader.TESTING_MODULE, f"v{version}", build_code_url(code, sources, "go.mod")))
    if not test_files:
        return _build_missing_tests_result(code, tuple(evidence))
    summary = f"The repository has {format_count(len(test_files), 'test file')}"
    # The older SDK includes its framework for acceptance tests. For other providers, it is a module of its own.
    if {reader.TESTING_MODULE, reader.SDK_MODULE}.isdisjoint(requires):
        return Result(Outcome.WARN, f"{summary}, but go.mod has no library for acceptance tests.", tuple(evidence))
    return Result(Outcome.PASS, f"{summary} and a library for acceptance tests.", tuple(evidence))


def _build_missing_tests_result(code: RepositorySnapshot, evidence: tuple[Evidence, ...] = ()) -> Result:
    if code.is_truncated:
        return Result(Outcome.NOT_RUN, "GitHub truncates the file list before the first test file.", evidence)
    return Result(Outcome.WARN, "The repository has no test files (_test.go).", evidence)


@register_check("go.tests", with_release_code)
def check_go_tests(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    test_files = code.list_test_files()
    if not test_files:
        return _build_missing_tests_result(code)
    evidence = tuple(Evidence("Tests", file.path, build_code_url(code, sources, file.path)) for file in test_files[:5])
    return Result(Outcome.PASS, f"The repository has {format_count(len(test_files), 'test file')}.", evidence)


@require_repository
def _read_default_branch(subject: Subject, sources: Sources) -> RepositorySnapshot:
    # GitHub runs schedules of the default branch only, so the workflows of a release don't matter.
    return read_code(subject, sources, sources.github.get_repository(subject.repository).default_branch or "HEAD")


@register_check("go.nightly", with_value(_read_default_branch, add_state(build_code_state)))
def check_nightly_tests(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    files = code.list_workflow_files()
    crons_by_path = {file.path: reader.list_cron_schedules(code.open(file)) for file in files[:MAX_WORKFLOWS]}
    evidence = tuple(
        Evidence(path.rpartition("/")[2], ", ".join(crons) or "no schedule", build_code_url(code, sources, path))
        for path, crons in crons_by_path.items()
    )
    nightly_paths = [path for path, crons in crons_by_path.items() if any(map(reader.is_nightly, crons))]
    testing_paths = [path for path in nightly_paths if reader.has_test_command(code.read_text(path) or "")]
    if testing_paths:
        return _build_nightly_result(testing_paths, _read_workflow_states(subject, sources), evidence)
    if nightly_paths:
        summary = f"{nightly_paths[0]} runs every night, but doesn't contain “go test”."
        return Result(Outcome.WARN, summary, evidence)
    # A workflow that we haven't read could be the nightly one.
    if code.is_truncated or len(files) > MAX_WORKFLOWS:
        return Result(Outcome.NOT_RUN, "We couldn't read all workflows.", evidence)
    return Result(Outcome.WARN, "No workflow runs every night.", evidence)


def _read_workflow_states(subject: Subject, sources: Sources) -> Mapping[str, str]:
    """Return the state of each workflow by its path. Empty without Actions or the permission to read them."""
    try:
        return sources.github.list_workflow_states(subject.repository)
    except (SourceNotFoundError, AccessDeniedError):
        return {}


def _build_nightly_result(paths: list[str], states: Mapping[str, str], evidence: tuple[Evidence, ...]) -> Result:
    """Return the result for workflows that test every night, unless they are disabled."""
    enabled_path = next((path for path in paths if path in states and not states[path].startswith("disabled")), "")
    if enabled_path:
        return Result(Outcome.PASS, f"{enabled_path} runs the tests every night.", evidence)
    unknown_path = next((path for path in paths if path not in states), "")
    if unknown_path:
        summary = f"{unknown_path} has a nightly schedule for the tests, but GitHub doesn't show whether it is enabled."
        advice = "On the repository's Actions page, check that the workflow is enabled."
        return Result(Outcome.NOT_RUN, summary, evidence, advice=advice)
    # GitHub disables schedules after 60 days without a commit (Events that trigger workflows, "schedule").
    if states[paths[0]] == "disabled_inactivity":
        summary = f"GitHub disabled {paths[0]} because the repository was inactive, so it doesn't run."
        return Result(Outcome.WARN, summary, evidence)
    return Result(Outcome.WARN, f"{paths[0]} is disabled on GitHub, so it doesn't run.", evidence)
