"""Values that several checks read, each once per run: the releases, the selected one, and the code of its commit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import TypeVar

from verification.checks.types import Subject
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.github.responses import GitHubRelease
from verification.sources.published_versions import find_newest_version
from verification.sources.repository_snapshot import RepositorySnapshot

Value = TypeVar("Value")
State = tuple[tuple[str, str], ...]
SourcedCheck = Callable[[Subject, Sources], Result]
Reader = Callable[[Subject, Sources], Value]
NO_REPOSITORY_RESULT = Result(
    Outcome.FAIL, "Enter the repository URL first.", advice="Add the repository URL to the details of the integration."
)
TRUNCATED_RESULT = Result(Outcome.NOT_RUN, "GitHub truncates the file list of this repository.")


def require_repository(read: Reader[Value]) -> Reader[Value | Result]:
    """Decorate a check, or a function that reads a value for checks. Without a repository, it asks for its URL."""

    @wraps(read)
    def run(subject: Subject, sources: Sources) -> Value | Result:
        return read(subject, sources) if subject.repository else NO_REPOSITORY_RESULT

    return run


def with_value(
    read: Reader[Value | Result], finish: Callable[[Result, Value], Result]
) -> Callable[[Callable[[Subject, Sources, Value], Result]], SourcedCheck]:
    """Return a decorator for checks of a value that is read once per run.

    Args:
        read: Function that returns the value, or the result that explains why it is missing.
        finish: Function that adds what the results of all these checks have in common.
    """

    def decorate(check: Callable[[Subject, Sources, Value], Result]) -> SourcedCheck:
        @wraps(check)
        def run(subject: Subject, sources: Sources) -> Result:
            value = read(subject, sources)
            return value if isinstance(value, Result) else finish(check(subject, sources, value), value)

        return run

    return decorate


def add_state(build_state: Callable[[Value], State]) -> Callable[[Result, Value], Result]:
    """Return a function that adds the inspected state of a value to a result without a state."""

    def add(result: Result, value: Value) -> Result:
        return result if result.inspected_revisions else replace(result, inspected_revisions=build_state(value))

    return add


def resolve_recorded_number(
    subject: Subject, field_name: str, recorded_number: int | None, current_number: int
) -> tuple[int, Mapping[str, object]]:
    """Return the number recorded for the repository at submission, and what to record.

    If no number was recorded, the first successful read of the URL counts.
    """
    if recorded_number is not None:
        return recorded_number, {}
    key = f"entered.{field_name}"
    repository = subject.repository.lower()
    observation = subject.known.get(key)
    # A number that was recorded for a former repository says nothing about the current one.
    if isinstance(observation, dict) and observation.get("repository") == repository:
        number = int(observation["number"])
    else:
        number = current_number
    return number, {key: {"repository": repository, "number": number}}


def list_published_releases(subject: Subject, sources: Sources) -> tuple[GitHubRelease, ...]:
    """Return the releases on GitHub that aren't drafts. Raises SourceError."""
    return tuple(release for release in sources.github.list_releases(subject.repository) if not release.draft)


def find_newest_release(releases: Sequence[GitHubRelease]) -> GitHubRelease | None:
    """Return the newest release by version, pre-releases last, or None if no tag is a version."""
    by_tag = {release.tag: release for release in releases}
    # The registry ignores tags without the "v" (Publishing Providers).
    newest = find_newest_version(tuple(tag.removeprefix("v") for tag in by_tag if tag.startswith("v")))
    return by_tag[f"v{newest}"] if newest else None


def read_release(subject: Subject, sources: Sources) -> GitHubRelease | None:
    """Return the published release of the subject's tag, or by default the newest one. Raises SourceError.

    GitHub lists only the newest releases, so an older one is read by its tag.
    """
    releases = list_published_releases(subject, sources)
    if not subject.tag:
        return find_newest_release(releases)
    if listed := next((release for release in releases if release.tag == subject.tag), None):
        return listed
    try:
        release = sources.github.get_release(subject.repository, subject.tag)
    except SourceNotFoundError:
        return None
    return None if release.draft else release


def read_code(subject: Subject, sources: Sources, ref: str) -> RepositorySnapshot:
    """Return the files of the commit that a tag or branch names. Raises SourceError."""
    return sources.read(
        f"code:{subject.repository}@{ref}", lambda: sources.github.get_snapshot(subject.repository, ref)
    )


def determine_ref(subject: Subject, sources: Sources) -> str:
    """Return the inspected tag: the requested one, else the newest release's, else the default branch."""
    if subject.tag:
        return subject.tag
    newest = find_newest_release(list_published_releases(subject, sources))
    # Before the first release, the default branch shows what a release would contain.
    return newest.tag if newest else str(sources.github.get_repository(subject.repository).default_branch or "HEAD")


@require_repository
def read_release_code(subject: Subject, sources: Sources) -> RepositorySnapshot | Result:
    """Return the code of the selected release, or the result that explains why it is missing. Raises SourceError."""
    try:
        return read_code(subject, sources, determine_ref(subject, sources))
    # Reported as a missing item, because only these get the grace period of a day and the request to connect GitHub.
    except SourceNotFoundError as error:
        evidence = (Evidence("Repository", subject.repository),)
        return Result(Outcome.FAIL, str(error), evidence, missing_item=str(error))


def build_code_state(code: RepositorySnapshot) -> State:
    return (("repository", code.repository), ("commit", code.commit))


def read_whole_code(subject: Subject, sources: Sources) -> RepositorySnapshot | Result:
    """Return the code like read_release_code(), or the result for a list of files that GitHub truncates."""
    code = read_release_code(subject, sources)
    if isinstance(code, RepositorySnapshot) and code.is_truncated:
        return replace(TRUNCATED_RESULT, inspected_revisions=build_code_state(code))
    return code


with_release_code = with_value(read_release_code, add_state(build_code_state))
with_whole_code = with_value(read_whole_code, add_state(build_code_state))


def build_code_url(code: RepositorySnapshot, sources: Sources, path: str = "") -> str:
    """Return the public URL of a file in the commit, or of the commit itself."""
    repository_url = str(sources.github.get_repository(code.repository).html_url)
    return f"{repository_url}/blob/{code.commit}/{path}" if path else f"{repository_url}/tree/{code.commit}"
