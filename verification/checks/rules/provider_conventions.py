"""Does the code keep the conventions of the guide for provider authors? Hints: what differs is a warning at most."""

from portal.core.translation import gettext_noop
from verification.checks.rules.go_module import go_mod, no_module
from verification.checks.rules.shared_reads import code_of, link_to, state_of
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources import repository_snapshot as reader
from verification.sources.repository_snapshot import Code, File

GUIDE = "https://www.terraform.io/guides/writing-custom-terraform-providers.html"
MOST_FILES = 30  # Go files that are opened in one run
SHOWN = 10


@check(
    "guide.main",
    title=gettext_noop("main.go"),
    advice=gettext_noop("Put the entry point of the plugin into main.go at the root of the repository."),
    help=GUIDE,
)
def main(subject: Subject, sources: Sources) -> Result:
    """The program begins in main.go."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    if "main.go" in code.by_path:
        seen = (Evidence("Entry point", "main.go", link_to(code, sources, "main.go")),)
        return Result(Outcome.PASS, "The program begins in main.go.", seen, state_of(code))
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off.", looked_at=state_of(code))
    return Result(Outcome.WARN, "There is no main.go at the root.", looked_at=state_of(code))


@check(
    "guide.resources",
    title=gettext_noop("A file for each resource"),
    advice=gettext_noop("Give each resource a file of its own, resource_NAME.go."),
    help=GUIDE,
)
def resources(subject: Subject, sources: Sources) -> Result:
    """Resources stand in files that bear their names. A file that holds several cannot be told from outside."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = reader.resources_of(code)
    if found:
        seen = _files(code, sources, list(found.values()))
        return Result(Outcome.PASS, f"{len(found)} resources have a file of their own.", seen, state_of(code))
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off.", looked_at=state_of(code))
    return Result(Outcome.WARN, "No file bears the name of a resource, such as resource_server.go.", (), state_of(code))


@check(
    "guide.tests",
    title=gettext_noop("An acceptance test for each resource"),
    advice=gettext_noop("Write an acceptance test beside each resource, in resource_NAME_test.go."),
    help=GUIDE,
)
def resource_tests(subject: Subject, sources: Sources) -> Result:
    """Each file of a resource has a file of tests beside it."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = reader.resources_of(code)
    if code.cut or not found:
        why = "GitHub's list of the files is cut off." if code.cut else "No file bears the name of a resource."
        return Result(Outcome.NOT_RUN, why, looked_at=state_of(code))
    without = [file for file in found.values() if reader.path_of_tests(file) not in code.by_path]
    if without:
        seen = _files(code, sources, without)
        summary = f"{len(without)} of {len(found)} resources have no file of tests beside them."
        return Result(Outcome.WARN, summary, seen, state_of(code))
    return Result(Outcome.PASS, f"All {len(found)} resources have a file of tests beside them.", (), state_of(code))


@check(
    "guide.client",
    title=gettext_noop("A client library of its own"),
    advice=gettext_noop("Keep the calls of your API in a Go module of their own, which the provider asks for."),
    help=GUIDE,
)
def client(subject: Subject, sources: Sources) -> Result:
    """go.mod asks for a library outside Go's and HashiCorp's own, which could be the platform's client."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = go_mod(code)
    if found is None:
        return no_module(code, sources)
    clients = reader.clients_of(found)
    place = link_to(code, sources, "go.mod")
    owner = code.repository.partition("/")[0].lower()
    own = [path for path in clients if f"/{owner}/" in f"/{path.lower()}"]
    seen = tuple(Evidence("Library", path, place) for path in (own or clients)[:SHOWN])
    if clients:
        return Result(Outcome.PASS, f"{(own or clients)[0]} stands apart from the provider.", seen, state_of(code))
    return Result(Outcome.WARN, "go.mod asks for no library that could be the platform's client.", (), state_of(code))


@check(
    "guide.errors",
    title=gettext_noop("Errors instead of panic and os.Exit"),
    advice=gettext_noop(
        "Return an error instead: whatever ends the plugin leaves users without an answer and with half a state."
    ),
    help=GUIDE,
)
def errors(subject: Subject, sources: Sources) -> Result:
    """No resource ends the plugin. main.go may; other files are opened, resources first, up to a limit."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    files = _worth_opening(code)
    if not files:
        return Result(Outcome.NOT_RUN, "There is no Go file that could be looked at.", looked_at=state_of(code))
    opened = files[:MOST_FILES]
    found = [(file, call) for file in opened for call in reader.abrupt(code.open(file))]
    seen = tuple(Evidence(call, file.path, link_to(code, sources, file.path)) for file, call in found[:SHOWN])
    read = f"{len(opened)} of {len(files)} Go files were read"
    if found:
        return Result(Outcome.WARN, f"{len(found)} calls end the plugin; {read}.", seen, state_of(code))
    return Result(Outcome.PASS, f"No call of panic or os.Exit; {read}.", seen, state_of(code))


def _worth_opening(code: Code) -> list[File]:
    """Go files that are not too large, resources first."""
    own = set(reader.resources_of(code).values())
    files = [file for file in code.go_files() if file.path != "main.go" and file.size <= reader.LARGEST]
    return sorted(files, key=lambda file: (file not in own, file.path))


def _files(code: Code, sources: Sources, files: list[File]) -> tuple[Evidence, ...]:
    return tuple(Evidence("File", file.path, link_to(code, sources, file.path)) for file in files[:SHOWN])


@check(
    "guide.organisation",
    title=gettext_noop("One organisation on GitHub"),
    advice=gettext_noop("Keep the providers of a company under one organisation, so that users find them together."),
    version=2,
)
def organisation(subject: Subject, sources: Sources) -> Result:
    """The repository belongs to an organisation, and the company's other providers stand under the same one."""
    if not subject.repository:
        return Result(Outcome.FAIL, "No repository is named yet.")
    found = sources.github.repository(subject.repository)
    owner = found.full_name.partition("/")[0]
    seen: tuple[Evidence, ...] = (Evidence("Owner", owner, found.html_url.rpartition("/")[0]),)
    looked_at = (("repository", found.full_name), ("owner", str(found.owner_id)))
    if not found.owner_type:
        return Result(Outcome.NOT_RUN, "GitHub does not say whether the owner is an organisation.", seen, looked_at)
    if found.owner_type != "Organization":
        return Result(Outcome.WARN, f"{owner} is a person's account, not an organisation.", seen, looked_at)
    apart = [name for name in subject.siblings if name.partition("/")[0].lower() != owner.lower()]
    if apart:
        seen += tuple(Evidence("Elsewhere", name) for name in apart[:SHOWN])
        what = "1 other provider" if len(apart) == 1 else f"{len(apart)} other providers"
        return Result(Outcome.WARN, f"The company has {what} outside of {owner}.", seen, looked_at)
    return Result(Outcome.PASS, f"{owner} is an organisation.", seen, looked_at)
