"""Checks of the conventions for provider authors. They are hints: a deviation is at most a warning."""

from verification.checks.rules.go_module import with_go_module
from verification.checks.rules.repository import with_repository
from verification.checks.rules.shared_reads import TRUNCATED_RESULT, build_code_url, with_release_code, with_whole_code
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.sources import Sources, repository_snapshot as reader
from verification.sources.github.responses import GitHubRepository
from verification.sources.repository_snapshot import GoModule, RepositoryFile, RepositorySnapshot

# Each opened file of a run is a request to GitHub.
MAX_OPENED_FILES = 30
MAX_EVIDENCE_ITEMS = 10


@register_check("guide.main", with_release_code)
def check_main_file(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    # Writing Custom Providers, "Building the Plugin": main.go is the entry point.
    if "main.go" in code.files_by_path:
        evidence = (Evidence("Entry point", "main.go", build_code_url(code, sources, "main.go")),)
        return Result(Outcome.PASS, "The plugin's entry point is in main.go.", evidence)
    return _build_missing_file_result(code, "The root of the repository has no main.go.")


def _build_missing_file_result(code: RepositorySnapshot, summary: str) -> Result:
    return TRUNCATED_RESULT if code.is_truncated else Result(Outcome.WARN, summary)


@register_check("guide.provider", with_release_code)
def check_provider_file(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    # Writing Custom Providers, "The Provider Schema": provider.go is the root of the provider.
    # Below vendor/ are copies of other modules.
    paths = [p for p in code.files_by_path if p.split("/")[-1] == "provider.go" and not p.startswith("vendor/")]
    if paths:
        path = min(paths, key=lambda path: (path.count("/"), path))
        evidence = (Evidence("Provider", path, build_code_url(code, sources, path)),)
        return Result(Outcome.PASS, f"{path} defines the provider.", evidence)
    return _build_missing_file_result(code, "No file is named provider.go.")


@register_check("guide.resources", with_release_code)
def check_resource_files(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    # Writing Custom Providers, "Defining Resources": each resource has its own file with the prefix resource_.
    resource_files = reader.collect_resource_files(code)
    if resource_files:
        evidence = _build_file_evidence(code, sources, list(resource_files.values()))
        count = format_count(len(resource_files), "resource has its", "resources have their")
        return Result(Outcome.PASS, f"{count} own file.", evidence)
    return _build_missing_file_result(code, "No file is named after a resource, such as resource_server.go.")


@register_check("guide.tests", with_whole_code)
def check_resource_tests(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    resource_files = reader.collect_resource_files(code)
    if not resource_files:
        return Result(Outcome.NOT_RUN, "No file is named after a resource.")
    untested_files = [file for file in resource_files.values() if reader.get_test_path(file) not in code.files_by_path]
    if untested_files:
        evidence = _build_file_evidence(code, sources, untested_files)
        verb = "has" if len(untested_files) == 1 else "have"
        summary = f"{len(untested_files)} of {format_count(len(resource_files), 'resource')} {verb} no test file."
        return Result(Outcome.WARN, summary, evidence)
    resources = f"All {len(resource_files)} resources have" if len(resource_files) > 1 else "The only resource has"
    return Result(Outcome.PASS, f"{resources} a test file.")


@register_check("guide.client", with_go_module)
def check_client_library(code: RepositorySnapshot, sources: Sources, go_module: GoModule) -> Result:
    # Writing Custom Providers: "Terraform should always consume an independent client library".
    clients = reader.list_client_candidates(go_module)
    url = build_code_url(code, sources, "go.mod")
    owner = code.repository.partition("/")[0].lower()
    own_clients = [path for path in clients if f"/{owner}/" in f"/{path.lower()}"]
    evidence = tuple(Evidence("Library", path, url) for path in (own_clients or clients)[:MAX_EVIDENCE_ITEMS])
    if clients:
        return Result(Outcome.PASS, f"{(own_clients or clients)[0]} is separate from the provider.", evidence)
    return Result(Outcome.WARN, "go.mod requires no library that could be the platform's client.")


@register_check("guide.errors", with_release_code)
def check_abrupt_exits(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    files = _list_files_to_open(code)
    if not files:
        summary = "Besides main.go, the release has no Go files to check. Publish a release with the provider's code."
        return Result(Outcome.NOT_RUN, summary)
    opened_files = files[:MAX_OPENED_FILES]
    # Writing Custom Providers: "Functions should never intentionally panic". An exit leaves partial state behind.
    exit_calls = [(file, call) for file in opened_files for call in reader.find_abrupt_calls(code.open(file))]
    evidence = tuple(
        Evidence(call, file.path, build_code_url(code, sources, file.path))
        for file, call in exit_calls[:MAX_EVIDENCE_ITEMS]
    )
    coverage = f"we read {len(opened_files)} of {format_count(len(files), 'Go file')}"
    if exit_calls:
        summary = f"{format_count(len(exit_calls), 'call exits', 'calls exit')} the plugin ({coverage})."
        return Result(Outcome.WARN, summary, evidence)
    return Result(Outcome.PASS, f"We found no call to panic or os.Exit ({coverage}).", evidence)


def _list_files_to_open(code: RepositorySnapshot) -> list[RepositoryFile]:
    """Return the Go files that aren't too large, resources first."""
    resource_files = set(reader.collect_resource_files(code).values())
    files = [file for file in code.list_go_files() if file.path != "main.go" and file.size <= reader.MAX_FILE_BYTES]
    return sorted(files, key=lambda file: (file not in resource_files, file.path))


def _build_file_evidence(
    code: RepositorySnapshot, sources: Sources, files: list[RepositoryFile]
) -> tuple[Evidence, ...]:
    return tuple(
        Evidence("File", file.path, build_code_url(code, sources, file.path)) for file in files[:MAX_EVIDENCE_ITEMS]
    )


@register_check("guide.organization", with_repository)
def check_organization(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    owner = repository.full_name.partition("/")[0]
    evidence: tuple[Evidence, ...] = (Evidence("Owner", owner, repository.html_url.rpartition("/")[0]),)
    if not repository.owner_type:
        return Result(Outcome.NOT_RUN, "GitHub doesn't say whether the owner is an organization.", evidence)
    if repository.owner_type != "Organization":
        return Result(Outcome.WARN, f"{owner} is a personal account, not an organization.", evidence)
    # Terraform Integration Program, 2. Publish, recommends one GitHub organization for all providers of a company.
    other_providers = [provider for provider in subject.siblings if provider.partition("/")[0].lower() != owner.lower()]
    if other_providers:
        evidence += tuple(Evidence("Elsewhere", provider) for provider in other_providers[:MAX_EVIDENCE_ITEMS])
        count_phrase = format_count(len(other_providers), "other provider")
        return Result(Outcome.WARN, f"The partner has {count_phrase} outside of {owner}.", evidence)
    return Result(Outcome.PASS, f"{owner} is an organization.", evidence)
